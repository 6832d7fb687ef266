import { main } from "../src/cli/Main.ts"

main(process.argv.slice(2))
