import {
  Inspector,
  Kernel,
  resolvePlan,
  unwrap,
  type Entry,
  type KernelOptions,
  type Plugin,
  type UseOptions,
} from '@amodal/kernel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { definePlugin } from '../define-plugin.ts'
import { use } from '@amodal/kernel'
import { explain } from '../explain.ts'
import { inspectionOf, type Inspection } from '../inspection/inspection.ts'
import { added, leavesNothing, openResources } from './leaves-nothing.ts'

export interface PluginContractOptions {
  /** A config that works. */
  readonly config?: unknown
  /** What the plugin needs: entries that provide its slots. */
  readonly with?: readonly Entry[]
  /** How a list would name it, such as `{ trusted: true }` for one that seals. */
  readonly use?: UseOptions
  /** Options for the kernel, such as `services`. */
  readonly kernel?: KernelOptions
}

const RELOADS = 20

/**
 * What every plugin must do, as a block of tests: valid metadata, readable config errors, a setup
 * without I/O, errors that carry its name, and a life that leaves nothing behind. Ours pass the
 * same kit.
 *
 * @example
 * pluginContract(jira, { config: { url: 'http://127.0.0.1:8080' }, with: [use(secretsInline)] })
 */
export function pluginContract(plugin: Plugin, options: PluginContractOptions = {}): void {
  const others = options.with ?? []
  const own = use(plugin, options.config, options.use)
  const entries = [...others, own]
  const name = options.use?.as ?? plugin.name
  const start = async (list: readonly Entry[] = entries): Promise<Kernel> =>
    unwrap(
      await Kernel.create(list, { drainMs: 1_000, graceMs: 1_000, ...options.kernel }),
      explain,
    )
  const given = (options.kernel?.services ?? []).map(([slot]) => slot)

  describe(`plugin ${name}`, () => {
    test('has metadata that a plan accepts', () => {
      expect(plugin.version).toMatch(/^\d+\.\d+\.\d+/)
      expect(Object.isFrozen(plugin)).toBe(true)
      expect(
        unwrap(resolvePlan(entries, { given }), explain).plugins.map((planned) => planned.name),
      ).toContain(name)
    })

    test('takes an empty config, or says where it falls short', () => {
      const plan = resolvePlan([...others, use(plugin, {}, options.use)], { given })
      for (const problem of plan.ok ? [] : plan.error)
        expect(problem).toMatchObject({
          code: 'BAD_CONFIG',
          message: expect.stringMatching(/`.+`: ./) as string,
        })
    })

    test('describes its config as JSON Schema', () => {
      if (plugin.config)
        expect(
          z.toJSONSchema(plugin.config, { io: 'input', unrepresentable: 'any' }),
        ).toMatchObject({ type: 'object' })
    })

    describe('setup', () => {
      const { fetch } = globalThis
      const requests: string[] = []
      beforeEach(() => {
        globalThis.fetch = (target, init) => {
          requests.push(String(target instanceof Request ? target.url : target))
          return fetch(target, init)
        }
      })
      afterEach(() => {
        globalThis.fetch = fetch
      })

      test('opens nothing and asks nobody; that belongs into `onBoot`', async () => {
        const before = openResources()
        let opened: readonly string[] = ['setup was never over']
        const sent: string[] = []
        // Setups come before all boots, so what stands last in the list sees what the setups left
        // open.
        const look = definePlugin({
          name: 'look',
          version: '1.0.0',
          after: [name],
          setup: () => {
            opened = added(before, openResources())
            sent.push(...requests)
          },
        })
        const kernel = await start([...entries, use(look)])
        await kernel.close()
        expect(opened).toEqual([])
        expect(sent).toEqual([])
      })
    })

    test('provides what it declares', async () => {
      const kernel = await start()
      try {
        for (const token of plugin.provides) {
          if (token.kind !== 'slot') continue
          expect(inspectionOf(kernel).slots).toContainEqual(
            expect.objectContaining({ id: token.id, provider: name }),
          )
          if (token.scope === 'kernel') expect(kernel.scope.get(token)).toBeDefined()
        }
      } finally {
        await kernel.close()
      }
    })

    test('is named when one of its taps fails', async () => {
      const kernel = await start()
      try {
        const { all } = kernel.scope.get(Inspector).facts().generation.hookSet
        for (const [hook, { taps }] of all) {
          if (hook.startsWith('kernel.') || !taps.some((tap) => tap.plugin === name)) continue
          const answer = await all.get(hook)?.call(poison(), poison(), poison(), poison())
          // A tap that ignores its arguments has not failed; then the next tap that reads the
          // poison has.
          if (answer?.ok === false && taps.some(({ stats }) => stats.errors > 0))
            expect(
              taps.map((tap) => tap.plugin),
              `${hook} blames ${answer.error.message}`,
            ).toContain(answer.error.plugin)
        }
      } finally {
        await kernel.close()
      }
    })

    test('comes and goes without a trace', async () => {
      await leavesNothing(async () => {
        const first = await start()
        const before = shape(inspectionOf(first))
        expect(await first.close()).toEqual([])
        const second = await start()
        expect(shape(inspectionOf(second))).toEqual(before)
        expect(await second.close()).toEqual([])
      })
    })

    test(`survives ${RELOADS} reloads`, async () => {
      await leavesNothing(async () => {
        const kernel = await start()
        const before = shape(inspectionOf(kernel))
        for (let round = 0; round < RELOADS; round++) {
          const reloaded = await kernel.reload(others)
          if (plugin.reload === 'restart')
            expect(reloaded).toMatchObject({
              ok: false,
              error: { problems: [{ code: 'RESTART_NEEDED' }] },
            })
          else await unwrap(reloaded, explain).retired
          await unwrap(await kernel.reload(entries), explain).retired
        }
        expect(shape(inspectionOf(kernel))).toEqual(before)
        expect(await kernel.close()).toEqual([])
      })
    })
  })
}

/** An argument that no tap can use. */
function poison(): unknown {
  return new Proxy(
    {},
    {
      get: () => {
        throw new Error('poisoned by the plugin contract')
      },
    },
  )
}

/** What of a kernel must be the same each time: everything but counts, times and the generation. */
function shape({ plugins, slots, registries, hooks, edges, errors }: Inspection): unknown {
  return {
    plugins: plugins.map((plugin) => ({ ...plugin, setupMs: 0 })),
    slots: slots.map((slot) => ({ ...slot, isCreated: undefined })),
    registries,
    edges,
    hooks: hooks.map(({ name, taps }) => ({
      name,
      taps: taps.map(({ plugin, stage, pending }) => ({ plugin, stage, pending })),
    })),
    errors: errors.map(({ message }) => message),
  }
}
