/** Bytes of a file. */
export const maxBytes = 256 * 1024 * 1024
/** Characters of one message, line or event, as the file has it. */
export const maxPiece = 16 * 1024 * 1024
/** Characters of the texts of all messages and events together. */
export const maxText = 64 * 1024 * 1024
export const maxMessages = 50_000
export const maxEvents = 200_000
/** Levels of arrays and objects in one message or event. */
export const maxDepth = 160
/** Members of arrays and objects in one message or event. */
export const maxMembers = 50_000
/** Elements of a page inside one another. */
export const maxElements = 256
/** Warnings that are listed. */
export const maxWarnings = 50
