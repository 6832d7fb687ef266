const ofNode = ["package.json", ".npmrc", ".pnpmfile.cjs", ".yarnrc.yml"]

const ofPython = ["pyproject.toml", "setup.py", "setup.cfg"]

const configured = (name: string): ReadonlyArray<string> =>
  ["js", "mjs", "cjs", "ts", "mts", "cts"].map((extension) => `${name}.config.${extension}`)

/** Programs whose configuration is code under their own name. */
const ofOneName = "vite jest ava eslint stylelint playwright cypress rollup webpack next nuxt astro tsup prettier"

/** Programs that run what the files say that their words name, and the files that they take where no word does. */
export const startsNamed: ReadonlyMap<string, ReadonlyArray<string>> = new Map<string, ReadonlyArray<string>>(
  Object.entries({
    "make gmake": ["GNUmakefile", "makefile", "Makefile"],
    just: ["justfile", "Justfile", ".justfile"],
    task: ["Taskfile.yml", "Taskfile.yaml"],
    rake: ["Rakefile"],
    ninja: ["build.ninja"],
    docker: ["Dockerfile", "compose.yml", "compose.yaml", "docker-compose.yml"],
    podman: ["Dockerfile", "Containerfile"],
    "docker-compose": ["compose.yml", "compose.yaml", "docker-compose.yml"],
    "npm pnpm yarn": ofNode,
    bun: [...ofNode, "bunfig.toml"],
    deno: ["deno.json", "deno.jsonc"],
    turbo: [...ofNode, "turbo.json"],
    nx: [...ofNode, "nx.json", "project.json"],
    "pip pip3 uv poetry pipenv": [...ofPython, "Pipfile"],
    pytest: [...ofPython, "conftest.py", "pytest.ini", "tox.ini"],
    tox: [...ofPython, "tox.ini"],
    nox: [...ofPython, "noxfile.py"],
    cargo: ["Cargo.toml", "build.rs", ".cargo/config.toml", ".cargo/config"],
    "mvn mvnw": ["pom.xml", ".mvn/extensions.xml", ".mvn/jvm.config", ".mvn/maven.config"],
    "gradle gradlew": ["build", "settings", "init"].flatMap((name) => [`${name}.gradle`, `${name}.gradle.kts`]),
    ant: ["build.xml"],
    sbt: ["build.sbt", "project/plugins.sbt"],
    bazel: ["BUILD", "BUILD.bazel", "WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel", ".bazelrc"],
    "cmake ctest": ["CMakeLists.txt", "CMakePresets.json"],
    meson: ["meson.build"],
    "bundle rspec rails": ["Gemfile", "Rakefile", ".rspec", "spec/spec_helper.rb"],
    "composer phpunit phpstan": ["composer.json", "phpunit.xml", "phpunit.xml.dist"],
    "mix iex": ["mix.exs"],
    swift: ["Package.swift"],
    zig: ["build.zig"],
    "cabal stack": ["Setup.hs", "Setup.lhs", "stack.yaml"],
    dotnet: ["Directory.Build.props", "Directory.Build.targets"],
    "terraform tofu": ["main.tf"],
    "pre-commit": [".pre-commit-config.yaml"],
    "husky lint-staged": ["package.json", ".lintstagedrc", ".husky/pre-commit"],
    vitest: [...configured("vitest"), ...configured("vite")],
    ...Object.fromEntries(ofOneName.split(" ").map((name) => [name, configured(name)])),
    "kubectl go dart java mocha tap prove": []
  }).flatMap(([names, files]) => names.split(" ").map((name) => [name, files] as const))
)

/** Of these, programs that run none of the files that their words name. */
export const onlyReads: ReadonlySet<string> = new Set(["eslint", "stylelint", "prettier"])
