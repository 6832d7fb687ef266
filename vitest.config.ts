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
      include: ["src/middleware/**", "src/tool/**"],
      reporter: ["text-summary"],
      thresholds: { lines: 95 }
    }
  }
})
