import { Clock, definePlugin, Health, messageOf, Outbound, Secrets, Tools } from '@amodal/sdk'
import { z } from 'zod'
import { addNameIssues, ownNames } from './names.ts'
import { customTools, type CustomTool } from './custom-tool.ts'
import { Definitions } from './definition-cache.ts'
import { definitionOf } from './definitions.ts'
import { Handlers } from './handlers.ts'
import { handlerFacts } from './health.ts'
import { Launcher } from './process/launcher.ts'
import { HandlerPool } from './process/pool.ts'
import { readTools } from './read-tools.ts'

/** The tools of the agent's folder: handlers in processes of their own, and requests without any code. */
export const toolsCustom = definePlugin({
  name: 'tools-custom',
  version: '0.1.0',
  requires: { secrets: Secrets, outbound: Outbound, clock: Clock },
  provides: [Tools, Health],
  config: z.object({
    sandbox: z.enum(['auto', 'process', 'bubblewrap']).default('auto').describe('What handlers are wrapped in; auto: bubblewrap where it works'),
    network: z.boolean().default(true).describe('Under bubblewrap: whether handlers can open connections of their own'),
    memoryMb: z.int().min(32).max(16_384).default(256).describe('MB of JavaScript heap of a handler; as much again may be in buffers'),
    processes: z.int().min(1).max(256).default(8).describe('Handler processes at a time'),
    idleMs: z.int().min(0).default(60_000).describe('ms that a process waits for its next call'),
    callsEach: z.int().min(1).default(500).describe('Calls until a process is exchanged'),
    startMs: z.int().min(100).default(20_000).describe('ms to load a handler'),
    outputBytes: z.int().min(1_000).default(1_000_000).describe('Bytes that a call may write to its output'),
    messageBytes: z.int().min(1_000).default(8_000_000).describe('Bytes of one message of a handler, such as its result'),
  }),
  setup({ config, deps, hooks, add, onDispose, generation, log }) {
    const { sandbox, network, memoryMb, processes, idleMs, callsEach, startMs, outputBytes, messageBytes } = config
    const { secrets, outbound, clock } = deps
    const launcher = new Launcher({
      sandbox, network, memoryMb: memoryMb * 2, path: () => secrets.get('PATH') ?? '/usr/local/bin:/usr/bin:/bin',
      found: (one) => log.info('handlers.sandbox', { sandbox: one }),
    })
    const handlers = new Handlers(launcher, { startMs, outputBytes, messageBytes }, memoryMb)
    const pool = new HandlerPool({ processes, idleMs, callsEach })
    const definitions = new Definitions()
    let inUse: readonly CustomTool[] = []
    onDispose(async () => {
      await pool.close()
      await handlers.kept.close()
    })

    hooks.bundle.load.tap((bundle) => readTools(bundle, { handlers, secrets, definitions, inUse }))
    hooks.bundle.used.tap((bundle) => {
      inUse = customTools(bundle)
      const digests = new Set(inUse.map(({ digest }) => digest))
      pool.keep(digests)
      definitions.keep(digests)
      void handlers.kept.keep(digests).catch((cause: unknown) => log.warn('handlers.kept', { message: messageOf(cause) }))
    })
    hooks.bundle.check.tap((bundle, issues) => addNameIssues(bundle, generation(), issues))
    add(Tools, 'custom', {
      tools: (bundle) => ownNames(bundle, generation()).map((tool) => definitionOf(tool, { handlers, pool, outbound, secrets, clock })),
    })
    add(Health, 'handlers', handlerFacts(launcher, pool, () => generation()))
  },
})

export default toolsCustom
