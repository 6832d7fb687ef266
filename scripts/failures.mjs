// A reporter that writes what failed in a run, errors outside of any test included, into the file that FAILURES names.
import * as fs from "node:fs"
import * as path from "node:path"

const told = ({ message, stack }) =>
  (stack ?? message ?? "no reason given").replaceAll(/\n +at .*(?:node_modules|node:internal).*/g, "")

const ofTest = (test) =>
  `${path.relative(process.cwd(), test.module.moduleId)} > ${test.fullName}\n  ${test.result().errors.map(told).join("\n  ")}`

const ofModule = (module) => [
  ...module.errors().map((error) => `${path.relative(process.cwd(), module.moduleId)}: ${told(error)}`),
  ...Array.from(module.children.allSuites()).flatMap((suite) =>
    suite
      .errors()
      .map((error) => `${path.relative(process.cwd(), module.moduleId)} > ${suite.fullName}: ${told(error)}`)
  ),
  ...Array.from(module.children.allTests("failed"), ofTest)
]

export default class Failures {
  onTestRunEnd(modules, unhandled) {
    const failures = [...modules.flatMap(ofModule), ...unhandled.map((error) => `outside of any test: ${told(error)}`)]
    fs.writeFileSync(process.env.FAILURES, JSON.stringify(failures))
  }
}
