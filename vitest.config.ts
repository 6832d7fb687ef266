import * as path from "node:path"
import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: {
    alias: {
      "tollgate/testing": path.resolve("src/testing.ts"),
      tollgate: path.resolve("src/index.ts")
    }
  },
  test: {
    include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 180_000,
    coverage: {
      provider: "v8",
      include: ["src/middleware/**", "src/tool/**", "src/gate/**", "src/cli/commandStack.ts"],
      reporter: ["text-summary"],
      thresholds: {
        "src/middleware/**": { lines: 95 },
        "src/tool/**": { lines: 95 },
        "src/gate/**": { lines: 95 },
        "src/cli/commandStack.ts": { lines: 95 }
      }
    }
  }
})
