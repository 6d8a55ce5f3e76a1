import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { temporaryFolder } from './scripts/lib/temporary-folder.mjs'
import { GATE, ONLY_IN_ALL } from './scripts/lib/tiers.mjs'

const isGate = process.env['AMODAL_TEST_TIER'] === GATE.AMODAL_TEST_TIER
/** Real servers share the machine: what passes on its second attempt is listed as flaky. */
const retry = 1
const cores = availableParallelism()

const firstGroup = {
  maxWorkers: cores + 2,
  // a test waits for facts: this is for one that hangs, on a machine that has much else to do
  testTimeout: 60_000,
  hookTimeout: 120_000,
  sequence: { groupOrder: 0 },
}

/**
 * Tests import the sources of the workspace; what they start as a process of its own runs `dist`,
 * as for everybody else. Without the condition `module`, which Node does not know: what it leads to
 * may be for bundlers alone, as with `@smithy/core`.
 */
const conditions = ['@amodal/source', 'node', 'development|production']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    globalSetup: ['scripts/lib/build-first.mjs', 'scripts/lib/temporary-folder.mjs'],
    env: temporaryFolder === undefined ? {} : { TMPDIR: temporaryFolder },
    pool: 'forks',
    // nothing in the product lives process-wide; a test that needs a clean process spawns one
    isolate: false,
    // as the command line has it: without, a fifth of the processor time goes into PGlite's code
    execArgv: ['--liftoff-only'],
    // what is polled for comes: late on a machine that has much else to do
    expect: { poll: { timeout: 45_000 } },
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      '**/.*/**',
      ...(isGate ? Object.keys(ONLY_IN_ALL) : []),
    ],
    tags: [
      { name: 'speed', description: 'asserts how fast something is, so it is not in the gate' },
    ],
    ...(isGate ? { tagsFilter: ['!speed'] } : {}),
    setupFiles: ['tests/support/seed.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'kernel/test/**/*.test.ts',
            'kernel/src/**/*.test.ts',
            'sdk/**/*.test.ts',
            'tests/{types,docs,support,supply-chain,bench}/**/*.test.ts',
            'tests/security/{access,corpus,work}/**/*.test.ts',
            'tests/*.test.ts',
          ],
          ...firstGroup,
        },
      },
      {
        extends: true,
        test: {
          // unit tests of what holds sockets, databases and processes
          name: 'parts',
          retry,
          include: [
            'plugins/*/test/**/*.test.ts',
            'presets/**/*.test.ts',
            'cli/test/**/*.test.ts',
            'tests/{loop,contracts,presets,wiring,reload}/**/*.test.ts',
          ],
          ...firstGroup,
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          retry,
          include: [
            'tests/{e2e,regressions,packages}/**/*.test.ts',
            'tests/security/{injection,flow,doors,canary,links,audit,handlers}/**/*.test.ts',
            'tests/security/*.test.ts',
            'examples/!(third-party-plugin)/**/*.test.ts',
          ],
          maxWorkers: cores + 2,
          testTimeout: 240_000,
          hookTimeout: 240_000,
          teardownTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'chaos',
          retry,
          include: ['tests/chaos/**/*.test.ts'],
          // each file brings servers of its own, whose leases run in real time
          maxWorkers: cores + 1,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          teardownTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
