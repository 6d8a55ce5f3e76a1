import { definePlugin, Tools, use, type ToolDefinition, type ToolSource } from '@amodal/sdk'
import { describe, expect, it } from 'vitest'
import { startTestAgent } from './support/agent.ts'
import { eventsOf } from './support/frames.ts'
import { success, writes } from './support/tools.ts'

const source = (made: ToolSource) =>
  use(
    definePlugin({
      name: 'elsewhere',
      version: '1.0.0',
      setup: ({ add }) => add(Tools, 'elsewhere', made),
    }),
  )

describe("a source whose tools are not the bundle's alone", () => {
  it('is asked again when its revision changes: the next turn has the new ones, the running one keeps its own', async () => {
    const tools: ToolDefinition[] = [
      writes('learn', () => {
        tools.push(writes('trick'))
        return success('learned')
      }),
    ]
    const agent = await startTestAgent({
      plugins: [source({ tools: () => [...tools], revision: () => String(tools.length) })],
      script: ({ results }) =>
        Object.keys(results).length === 0
          ? { calls: [{ name: 'learn', id: 'l' }] }
          : { text: 'done' },
    })
    await agent.say('go')
    expect(agent.model.asked.map(({ tools: listed }) => listed)).toEqual([['learn'], ['learn']])
    await agent.say('again')
    expect(agent.model.asked.at(-1)?.tools).toEqual(['learn', 'trick'])
  })

  it('is not asked again as long as nothing changes', async () => {
    let asked = 0
    const agent = await startTestAgent({
      plugins: [
        source({
          tools: () => {
            asked++
            return []
          },
          revision: () => 'same',
        }),
      ],
    })
    await agent.say('one')
    await agent.say('two')
    expect(asked).toBe(1)
  })

  it('is waited for by a turn while it finds out what it has', async () => {
    const tools: ToolDefinition[] = []
    let wait: Promise<void> | undefined = new Promise((resolve) =>
      setTimeout(() => {
        tools.push(writes('late'))
        wait = undefined
        resolve()
      }, 50),
    )
    const agent = await startTestAgent({
      plugins: [
        source({
          tools: () => [...tools],
          revision: () => String(tools.length),
          settled: () => wait,
        }),
      ],
    })
    await agent.say('go')
    expect(agent.model.asked[0]?.tools).toEqual(['late'])
  })
})

describe('a call that goes on with an answer', () => {
  const asking = (runs: string[], more: Partial<ToolDefinition> = {}) =>
    writes(
      'ask',
      (_args, { answers = [] }) => {
        runs.push(JSON.stringify(answers.map(({ answer }) => answer)))
        if (answers.length > 0) return success(`told ${JSON.stringify(answers.at(-1)?.answer)}`)
        return {
          status: 'asks',
          question: {
            type: 'question',
            schema: { type: 'object' },
            context: { question: 'Which?' },
            resumes: true,
          },
        }
      },
      more,
    )
  const script = ({ results }: { readonly results: object }) =>
    Object.keys(results).length === 0 ? { calls: [{ name: 'ask', id: 'a' }] } : { text: 'done' }

  it('runs again under the approval that it has, with the answer', async () => {
    const runs: string[] = []
    const agent = await startTestAgent({ tools: [asking(runs, { tier: 'confirm' })], script })
    const first = await agent.say('go')
    await agent.answer(first.session, [(await agent.asks(first.session))[0], { approved: true }])
    await expect.poll(() => runs).toEqual(['[]'])
    await expect
      .poll(async () =>
        (await agent.journal(first.session)).filter(({ kind }) => kind === 'input_asked'),
      )
      .toHaveLength(2)
    await agent.answer(first.session, [(await agent.asks(first.session))[0], { colour: 'blue' }])
    await expect.poll(() => runs).toEqual(['[]', '[{"colour":"blue"}]'])
    await expect
      .poll(async () =>
        (await agent.journal(first.session)).find((entry) => entry.kind === 'tool_outcome'),
      )
      .toMatchObject({ status: 'success', output: 'told {"colour":"blue"}' })
    expect(
      (await agent.kinds(first.session)).filter((kind) => kind === 'tool_outcome'),
    ).toHaveLength(1)
  })

  it('is guarded once more where nobody has approved it', async () => {
    const runs: string[] = []
    let strict = false
    const agent = await startTestAgent({
      tools: [asking(runs)],
      script,
      taps: (hooks) =>
        hooks.tool.guard.tap((verdict) =>
          strict ? verdict.raise('deny', 'not any more') : undefined,
        ),
    })
    const { session } = await agent.say('go')
    strict = true
    await agent.answer(session, [(await agent.asks(session))[0], {}])
    await expect
      .poll(async () =>
        (await agent.journal(session)).find((entry) => entry.kind === 'tool_outcome'),
      )
      .toMatchObject({ status: 'error', code: 'TOOL_DENIED' })
    expect(runs).toEqual(['[]'])
  })

  it('whose outcome it says is in doubt is one that nobody knows', async () => {
    const agent = await startTestAgent({
      tools: [
        writes('ask', () => ({
          status: 'error',
          code: 'OUTCOME_UNKNOWN',
          message: 'no answer came.',
        })),
      ],
      script,
    })
    const told = await agent.say('go')
    expect(eventsOf(told, 'tool_call_result')[0]?.error).toBe(
      'no answer came. Whether it took effect is unknown: check before repeating it.',
    )
    expect(
      (await agent.journal(told.session)).find((entry) => entry.kind === 'tool_outcome'),
    ).toMatchObject({ status: 'unknown' })
  })
})
