import loop from '@amodal/plugin-loop'
import {
  BundleSource,
  Commands,
  definePlugin,
  ok,
  silentLogger,
  startAgent,
  Tools,
  type AgentBundle,
  type CommandContext,
} from '@amodal/sdk'
import { Inventories } from '@amodal/sdk/inspection'
import { expect, it, onTestFinished } from 'vitest'
import { prompt } from '../src/index.ts'
import { bundleOf, manifestOf, tool, use } from './support.ts'

const given = (bundle: AgentBundle) =>
  definePlugin({
    name: 'given',
    version: '1.0.0',
    provides: [BundleSource],
    setup({ provide, add }) {
      provide(BundleSource, () => ({ where: 'code', load: async () => ok(bundle) }))
      add(Tools, 'given', { tools: () => [tool('look_up')] })
      add(Inventories, 'shelves', {
        title: 'Shelves',
        items: (_, roles) => [
          { name: 'top', about: 'of oak', facts: { all: roles === undefined } },
        ],
      })
    },
  })

/** Runs the command as the command line would, on an agent of these two plugins. */
async function inspect(
  options: CommandContext['options'],
  bundle = bundleOf({ manifest: manifestOf({ userContext: 'Be careful.' }) }),
) {
  const started = await startAgent([use(loop), use(prompt), use(given(bundle))])
  if (!started.ok) throw new Error('it did not start')
  onTestFinished(() => started.value.close())
  const lines: string[] = []
  const without: string[] = []
  const context: CommandContext = {
    options,
    dir: '/',
    arguments: [],
    env: {},
    log: silentLogger,
    signal: new AbortController().signal,
    input: (async function* () {})(),
    print: (line) => void lines.push(line),
    write: (text) => void lines.push(text),
    fail: (line) => void lines.push(`fail: ${line}`),
    start: async (change) => {
      without.push(...(change?.without ?? []))
      return started.value.kernel
    },
  }
  const code = await started.value.kernel.current().registry(Commands).get('inspect')?.run(context)
  return { code, text: lines.join('\n'), without, agent: started.value.agent }
}

it('prints the budget of what the model is sent, without opening a port', async () => {
  const { code, text, without } = await inspect({})
  expect(code).toBe(0)
  expect(without).toContain('http')
  expect(text).toMatch(
    /^Context Budget Breakdown\n─+\nSystem prompt +\d+ tokens \(0\.1%\)\n {2}user-context +3\n {2}identity +3\n/,
  )
  expect(text).toMatch(/\nTools \(1\) +\d+ tokens/)
  expect(text).toMatch(
    /\nTotal context +\d+ tokens \(0\.1%\)\nAvailable for chat +199,\d+ tokens \(99\.9%\)\n\nModel: none\n\nShelves \(1\)\n {2}top +of oak$/,
  )
})

it('prints the very prompt that the model gets', async () => {
  const { text, agent } = await inspect({ prompt: true })
  const compiled = await agent.compiled()
  expect(text).toMatch(/^Be careful\.\n\nYou are ops\./)
  expect(compiled.ok && compiled.value.prompt.text === text).toBe(true)
})

it('prints JSON for programs', async () => {
  const { text } = await inspect({ json: true })
  expect(JSON.parse(text)).toMatchObject({
    model: null,
    window: 200_000,
    total: expect.any(Number),
    rows: [{ category: 'system' }, { category: 'tool', parts: [{ name: 'look_up' }] }],
    prompt: expect.stringContaining('Be careful.'),
    shelves: [{ name: 'top', all: true }],
  })
})

it('draws the plugins as a tree and as a graph', async () => {
  expect((await inspect({ plugins: true })).text).toMatch(/plugins[^]*prompt 0\.1\.0/)
  expect(JSON.parse((await inspect({ plugins: true, json: true })).text)).toMatchObject({
    plugins: expect.arrayContaining([expect.objectContaining({ name: 'prompt' })]),
  })
  expect((await inspect({ mermaid: true })).text).toMatch(/^(flowchart|graph) /)
})

it('points to validate where files have problems', async () => {
  const { text } = await inspect(
    {},
    bundleOf({ issues: [{ severity: 'warning', code: 'BAD_REPO', message: 'x' }] }),
  )
  expect(text).toContain('1 problem in the files of the agent: see `amodal validate`')
})
