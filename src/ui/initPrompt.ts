/** What the model is asked to write down about a project. */
export const initPrompt = `Look at this project and write AGENTS.md in its top directory: what a coding agent that works here must know.
Cover the purpose in a sentence, how to build, test and check (exact commands, that of a single test too), how the code is laid out, and conventions that the code shows but a reader would not guess.
Leave out what any tool finds in a minute. At most 60 lines. If AGENTS.md exists, keep what is right in it and correct the rest.`
