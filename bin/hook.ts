import { main } from "../src/hook/main.ts"

main(process.argv[3] ?? "")
