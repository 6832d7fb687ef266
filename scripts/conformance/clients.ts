export const clients = async (_: unknown) => {}
