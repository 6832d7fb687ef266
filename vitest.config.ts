import * as os from "node:os"
import * as path from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** What starts processes, opens terminals, runs git or the compiler, or goes on for long. */
const slow = [
  "test/{browser,cli/firstHour,host,mcp,package,process,sandbox,tools,types}/**/*.test.ts",
  "test/cli/!(behindStack).test.ts",
  "test/cli/terminal/!(layout|terminalUi|transcript).test.ts",
  "test/cli/prompt/**/*.test.ts",
  "test/**/{command,corpus,Corpus,crash,daemon,fuzz,installation,invariants,kill,race,siblings,stalled}.test.ts",
  "test/approval/Interleavings.test.ts",
  "test/policy/shell/{Expansion,Variables}.test.ts",
  "test/{memory,telemetry}/**/*.test.ts",
  "test/export/page.test.ts",
  "test/{agent/restart,model/ChatCompletions}.test.ts"
]
/** What covers the lines that have to be covered; counting them makes every test slower. */
const covered = [
  "test/{gate,middleware,tool}/**/*.test.ts",
  "test/cli/{behindStack,commandStack}.test.ts",
  "test/approval/{Approvals,Durable,edited}.test.ts",
  "test/agent/{ahead,interruption}.test.ts",
  "test/harness/Harness.test.ts",
  "test/runtime/{faults,userCrashes}.test.ts"
]
/** One more than there are cores. As many at least as at most: the pool loses the tasks of workers that it ends early. */
const workers = os.availableParallelism() + 1
const all = ["test/**/*.test.ts", "examples/**/*.test.ts"]

/** Files that take long for what they hold; others go by their size, so that no worker waits for the last one. */
const long =
  /\/(?:Interleavings|crash|decidedBy|everyPlace|faults|gateway|messages|modes|outside|stalled|touches)\.test\.ts$/

class LongFirst extends BaseSequencer {
  override sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId)
    return super.sort(files).then((sorted) => [...sorted.filter(isLong), ...sorted.filter((one) => !isLong(one))])
  }
}

export default defineConfig({
  resolve: {
    alias: [
      { find: /^tollgate\/(\w+)$/, replacement: path.resolve("src/$1.ts") },
      { find: /^tollgate$/, replacement: path.resolve("src/index.ts") }
    ]
  },
  test: {
    setupFiles: ["test/support/setup.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    minWorkers: workers,
    maxWorkers: workers,
    sequence: { sequencer: LongFirst },
    projects: [
      { extends: true, test: { name: "covered", include: covered, exclude: slow } },
      { extends: true, test: { name: "fast", include: all, exclude: [...slow, ...covered] } },
      { extends: true, test: { name: "slow", include: slow } }
    ],
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
