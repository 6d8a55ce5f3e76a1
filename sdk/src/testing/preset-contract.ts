import { resolvePlan, slot, unwrap, type Entry } from '@amodal/kernel'
import { explain } from '../explain.ts'
import { listHooks, type MustTap } from '../hooks/catalog.ts'
import { inspectionOf } from '../inspection/inspection.ts'
import { LocalToken } from '../ports/identity.ts'
import { startAgent, type Running } from '../start.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { leavesNothing } from './leaves-nothing.ts'
import { reply } from './model-reply.ts'
import { startModelServer, type ModelServer } from './model-server.ts'
import { agentFiles } from './preset/agent-files.ts'
import { behaviour } from './preset/behaviour.ts'
import { agentEntryPoint, httpEntryPoint } from './preset/entry-point.ts'

/** What the contract asks of a preset; `definePreset` of `@amodal/presets` makes such. */
export interface PresetUnderTest {
  readonly name: string
  readonly entries: readonly Entry[]
  readonly pinned: readonly string[]
  readonly mustTap: MustTap
}

/** Where a preset runs in a test. */
export interface PresetPlace {
  /** Configuration of the preset for this place: its folder, its database, a free port. */
  readonly entries: readonly Entry[]
  remove(): Promise<void>
}

export interface PresetContractOptions {
  /**
   * Makes a place with these files of an agent, by their paths. The same place serves several
   * starts, one after the other.
   */
  readonly place: (files: Readonly<Record<string, string>>) => Promise<PresetPlace>
  /** Whether sessions and documents survive a restart. */
  readonly keeps: boolean
  /** More than 2,000 ms until all that was opened is closed. */
  readonly settleMs?: number
}

/** Filled where the preset has a server. Slots of one id are one slot. */
const HttpApp = slot.kernel<{
  address(): { readonly host: string; readonly port: number } | undefined
}>('http-app')

/**
 * What every preset must do, as a block of tests: a plan without problems, a life that leaves
 * nothing behind, its guards in their places, and an agent that behaves alike in this process and
 * over HTTP.
 *
 * @example
 * presetContract(mine, {
 *   keeps: false,
 *   async place(files) {
 *     const dir = await folderOf(files)
 *     return { entries: [use(repoFiles, { dir })], remove: () => rm(dir, { recursive: true }) }
 *   },
 * })
 */
export function presetContract(preset: PresetUnderTest, options: PresetContractOptions): void {
  describe(`preset ${preset.name}`, () => {
    let model: ModelServer
    let place: PresetPlace
    beforeAll(async () => {
      model = await startModelServer({ script: reply.text('Hello.') })
      place = await options.place(agentFiles(model.url))
    })
    afterAll(async () => {
      await place.remove()
      await model.close()
    })
    const { pinned, mustTap } = preset
    const start = async (where = place): Promise<Running & AsyncDisposable> => {
      const running = unwrap(
        await startAgent([...preset.entries, ...where.entries], { pinned, mustTap }),
        explain,
      )
      return { ...running, [Symbol.asyncDispose]: () => running.close() }
    }

    test('has a plan without problems or warnings', () => {
      const plan = unwrap(
        resolvePlan([...preset.entries, ...place.entries], { pinned, mustTap }),
        explain,
      )
      expect(plan.warnings).toEqual([])
      for (const pin of pinned) expect(plan.plugins.map(({ name }) => name)).toContain(pin)
      const guards = listHooks()
        .filter(({ spec }) => spec.policy.guards)
        .map(({ name }) => name)
      for (const hook of Object.keys(mustTap)) expect(guards).toContain(hook)
    })

    test('opens, talks and closes without a trace', async () => {
      await leavesNothing(
        async () => {
          // gone with its connections
          const own = await startModelServer({ script: reply.text('Hello.') })
          const where = await options.place(agentFiles(own.url))
          const { agent, close } = await start(where)
          expect(await agentEntryPoint(agent).ask('Hi')).toMatchObject({ text: 'Hello.' })
          await close()
          await close() // twice is once
          await where.remove()
          await own.close()
        },
        options.settleMs === undefined ? {} : { settleMs: options.settleMs },
      )
    })

    test('taps the hooks that its guards must tap, and reports no failure', async () => {
      await using running = await start()
      const { hooks, errors } = inspectionOf(running.kernel)
      for (const [hook, plugins] of Object.entries(mustTap)) {
        expect(hooks.find(({ name }) => name === hook)?.taps.map(({ plugin }) => plugin)).toEqual(
          expect.arrayContaining([...plugins]),
        )
      }
      expect(errors).toEqual([])
    })

    test(
      options.keeps
        ? 'keeps sessions, questions and documents over a restart'
        : 'begins anew after a restart',
      async () => {
        await using first = await start()
        model.play(
          reply.toolsThenText(
            [
              { name: 'store_tasks', arguments: { id: 'kept', title: 'Kept', done: true } },
              { name: 'ask_user', arguments: { question: 'Sure?' } },
            ],
            'Done.',
          ),
        )
        const turn = await agentEntryPoint(first.agent).ask('Keep it')
        expect(turn.pending).toHaveLength(1)
        await first.close()

        await using second = await start()
        const entryPoint = agentEntryPoint(second.agent)
        if (options.keeps) {
          await entryPoint.answer(turn.session, turn.pending[0]?.id ?? '', 'Yes')
          await expect.poll(async () => (await entryPoint.open(turn.session)).pending).toBe(0)
          model.play(
            reply.toolsThenText(
              { name: 'query_store', arguments: { store: 'tasks', key: 'kept' } },
              'There.',
            ),
          )
          const found = await entryPoint.ask('Is it there?', turn.session)
          expect(found.events).toContainEqual(
            expect.objectContaining({
              type: 'tool_call_result',
              result: expect.stringContaining('"version":1') as string,
            }),
          )
        } else
          await expect(entryPoint.open(turn.session)).rejects.toMatchObject({
            code: 'SESSION_NOT_FOUND',
          })
      },
    )

    describe('its agent', () => {
      let running: Running
      beforeAll(async () => {
        running = await start()
      })
      afterAll(() => running.close())

      behaviour('in this process', () => ({ entryPoint: agentEntryPoint(running.agent), model }))
      if (hasServer(preset)) {
        behaviour('over HTTP', () => {
          const address = running.kernel.scope.find(HttpApp)?.address()
          if (!address) throw new Error('the server does not listen')
          return {
            entryPoint: httpEntryPoint(
              `http://${address.host}:${address.port}`,
              running.kernel.scope.find(LocalToken)?.text(),
            ),
            model,
          }
        })
      }
    })
  })
}

const hasServer = ({ entries }: PresetUnderTest): boolean =>
  entries.some(
    (entry) =>
      entry.kind !== 'without' && entry.plugin.provides.some(({ key }) => key === HttpApp.key),
  )
