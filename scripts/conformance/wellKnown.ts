export const wellKnown = async (_: unknown) => 0
