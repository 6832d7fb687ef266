export { listen } from "../src/hook/daemon/Daemon.ts"
export { main } from "../src/hook/main.ts"
