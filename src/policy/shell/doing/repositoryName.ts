/** The directory that a clone of an address is put into where no word says another: its last name. */
export const repositoryName = (address: string): string | undefined => /([^/:]+?)(?:\.git)?\/*$/.exec(address)?.[1]
