import { resolve } from 'node:path'
import { z } from 'zod'
import { definePlugin, isId, Log, messageOf, PluginError, Secrets, sessionId } from '@amodal/sdk'
import { LineFacts } from './line-facts.ts'
import { jsonLogger } from './logger.ts'
import { LineRing, RecentLog } from './recent-log.ts'
import { openTarget, type Outlet, type Target } from './target.ts'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'none'] as const
type WriteLine = (line: string) => void

/**
 * The structured log. `LOG_LEVEL` in the environment wins over the configured level.
 *
 * @example
 * use(logJson, { level: 'debug', format: 'pretty' })
 * use(logJson, { target: { write: (line: string) => lines.push(line) } })
 */
export const logJson = definePlugin({
  name: 'log-json',
  version: '0.1.0',
  optional: { secrets: Secrets },
  provides: [Log, RecentLog],
  config: z.object({
    level: z.enum(LEVELS).default('info'),
    /** `pretty` is for a person at a terminal. */
    format: z.enum(['json', 'pretty']).default('json'),
    /** Where lines go: a stream of the process, a file to append to, or a function of yours. */
    target: z
      .union([
        z.enum(['stderr', 'stdout']),
        z.object({ file: z.string().min(1) }),
        z.object({
          write: z.custom<WriteLine>(
            (value) => typeof value === 'function',
            'a function that takes a line',
          ),
        }),
      ])
      .default('stderr'),
    /** Characters of the newest lines that stay in memory, for `GET /inspect/logs`; 0: none. */
    recent: z.int().min(0).max(100_000_000).default(1_000_000),
  }),
  adjustConfig: (raw, env) =>
    env['LOG_LEVEL'] ? { ...raw, level: env['LOG_LEVEL'].trim().toLowerCase() } : undefined,
  setup({ name, config, deps: { secrets }, provide, onBoot, onDispose, generation }) {
    const { level, format, target } = config
    const recent = config.recent > 0 ? new LineRing(config.recent) : undefined
    const mask = (text: string): string => secrets?.mask(text) ?? text
    let outlet: Outlet | undefined
    let isBooted = false
    onBoot(() => {
      isBooted = true
      return () => {
        isBooted = false
      }
    })
    const factsOf = (session: unknown): Readonly<Record<string, string>> => {
      if (!isBooted || typeof session !== 'string' || !isId(session)) return {}
      const id = sessionId(session)
      let facts: Readonly<Record<string, string>> = {}
      for (const factsOfPlugin of generation().registry(LineFacts).values())
        facts = { ...facts, ...factsOfPlugin(id) }
      return facts
    }
    provide(Log, () => {
      outlet = open(target, name)
      return jsonLogger({ level, format, outlet, recent, mask, factsOf })
    })
    provide(RecentLog, () => recent ?? new LineRing(0))
    onDispose(() => outlet?.close())
  },
})

function open(target: Target, plugin: string): Outlet {
  try {
    return openTarget(target)
  } catch (cause) {
    const where =
      typeof target === 'object' && 'file' in target ? resolve(target.file) : 'its target'
    throw new PluginError(
      plugin,
      'provide',
      'log',
      new Error(`the log cannot be written to ${where}: ${messageOf(cause)}`, { cause }),
      'UNREADABLE',
    )
  }
}

export default logJson
