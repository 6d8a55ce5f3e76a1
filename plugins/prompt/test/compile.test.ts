import {
  definePlugin,
  PluginError,
  PromptSections,
  type PromptSection,
  type SectionSource,
} from '@amodal/sdk'
import { describe, expect, it } from 'vitest'
import { prompt } from '../src/index.ts'
import { bundleOf, compilerOf, manifestOf, tool, use } from './support.ts'

/** A plugin that adds one source of sections. */
const adding = (name: string, sections: SectionSource['sections']) =>
  definePlugin({
    name,
    version: '1.0.0',
    setup({ add }) {
      add(PromptSections, name, { sections })
    },
  })
const section = (id: string, weight: number, body = `body of ${id}`): PromptSection => ({
  id,
  title: id.toUpperCase(),
  body,
  weight,
  category: 'other',
})

const thrown = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('the prompt', () => {
  it('begins with the user context, word for word', async () => {
    const { compile } = await compilerOf([use(prompt)])
    const userContext = '  Never restart production.\n\nAsk first. '
    expect(
      compile(bundleOf({ manifest: manifestOf({ userContext }) })).text.startsWith(
        `${userContext}\n\nYou are ops.`,
      ),
    ).toBe(true)
  })

  it('goes on with who the agent is and its own instructions', async () => {
    const { compile } = await compilerOf([use(prompt)])
    const instructions = {
      name: 'main',
      body: '## Do\n\nthis',
      file: 'agents/main/AGENT.md',
      fields: {},
    }
    expect(
      compile(
        bundleOf({
          hash: 'h2',
          manifest: manifestOf({ description: 'Watches things.' }),
          instructions,
        }),
      ).text,
    ).toBe('You are ops. Watches things.\n\n# Instructions\n\n## Do\n\nthis')
    expect(
      compile(
        bundleOf({ hash: 'h3', instructions: { ...instructions, body: '# Agent: Ops\n\nthis' } }),
      ).text,
    ).toBe('You are ops.\n\n# Agent: Ops\n\nthis')
    expect(compile(bundleOf()).text).toMatch(
      /^You are ops\.\n\n# Instructions\n\n- Find out with the tools/,
    )
  })

  it('orders the sections by weight, then by id, however the plugins are listed', async () => {
    const [a, b, c] = [
      adding('a', () => [section('zeta', 30), section('nothing', 31, ' \n')]),
      adding('b', () => [section('alpha', 30)]),
      adding('c', () => [section('first', 1)]),
    ]
    const texts = []
    for (const entries of [
      [use(a), use(b), use(c), use(prompt)],
      [use(prompt), use(c), use(b), use(a)],
    ]) {
      const { compile } = await compilerOf(entries)
      const compiled = compile(bundleOf({ manifest: manifestOf({ userContext: 'context' }) }))
      texts.push(compiled.text)
      expect(compiled.sections.map(({ id, plugin }) => [id, plugin])).toEqual([
        ['user-context', 'prompt'],
        ['first', 'c'],
        ['identity', 'prompt'],
        ['instructions', 'prompt'],
        ['alpha', 'b'],
        ['zeta', 'a'],
      ])
    }
    expect(texts[0]).toBe(texts[1])
    expect(texts[0]).toContain('# ALPHA\n\nbody of alpha\n\n# ZETA\n\nbody of zeta')
  })

  it('shows the sections the tools of the turn', async () => {
    const { compile } = await compilerOf([
      use(prompt),
      use(
        adding('a', (_, { tools }) => [section('names', 50, tools.map(({ name }) => name).join())]),
      ),
    ])
    expect(compile(bundleOf(), { tools: [tool('x'), tool('y')], aliases: {} }).text).toContain(
      'x,y',
    )
  })

  it('renders what a tap has made of the draft', async () => {
    const { compiler, draft } = await compilerOf([use(prompt)])
    const bundle = bundleOf()
    const changed = {
      sections: draft(bundle).sections.map((each) =>
        each.id === 'identity' ? { ...each, body: 'You are someone else.' } : each,
      ),
    }
    expect(compiler.render(changed, bundle).text).toMatch(
      /^You are someone else\.\n\n# Instructions/,
    )
  })
})

describe('the cache', () => {
  it('gives the same object for equal bundle, tools and sources, and asks no source again', async () => {
    let asked = 0
    const { draft, compile } = await compilerOf([
      use(prompt),
      use(
        adding('a', () => {
          asked++
          return [section('a', 50)]
        }),
      ),
    ])
    const tools = [tool('x'), tool('y')]
    const first = draft(bundleOf(), { tools, aliases: {} })
    // As after a reload of the same files, and as a filter of tools makes a new list on each turn.
    expect(draft(bundleOf(), { tools: [...tools], aliases: {} })).toBe(first)
    expect(compile(bundleOf(), { tools: [...tools], aliases: {} })).toBe(
      compile(bundleOf(), { tools, aliases: {} }),
    )
    expect(asked).toBe(1)
  })

  it('makes another for other files or other tools', async () => {
    const { draft } = await compilerOf([use(prompt)])
    const x = tool('x')
    const first = draft(bundleOf(), { tools: [x], aliases: {} })
    expect(draft(bundleOf({ hash: 'h2' }), { tools: [x], aliases: {} })).not.toBe(first)
    expect(draft(bundleOf(), { tools: [tool('x')], aliases: {} })).not.toBe(first)
    expect(draft(bundleOf(), { tools: [], aliases: {} })).not.toBe(first)
  })

  it('keeps so many and no more', async () => {
    let asked = 0
    const { draft } = await compilerOf([
      use(prompt),
      use(
        adding('a', () => {
          asked++
          return [section('a', 50)]
        }),
      ),
    ])
    for (let n = 0; n < 40; n++) draft(bundleOf({ hash: `h${n}` }))
    draft(bundleOf({ hash: 'h39' }))
    expect(asked).toBe(40)
    draft(bundleOf({ hash: 'h0' }))
    expect(asked).toBe(41)
  })

  it("is the plugin's own: two kernels share nothing", async () => {
    const bundle = bundleOf()
    const [one, two] = [await compilerOf([use(prompt)]), await compilerOf([use(prompt)])]
    expect(one.draft(bundle)).not.toBe(two.draft(bundle))
    expect(one.compile(bundle).text).toBe(two.compile(bundle).text)
  })
})

describe('a source that fails', () => {
  it.for<[string, SectionSource['sections'], string, string]>([
    [
      'throws',
      () => {
        throw new Error('lost it')
      },
      'PLUGIN_FAILED',
      'lost it',
    ],
    ['returns no list', () => JSON.parse('{}'), 'BAD_VALUE', 'no list of sections'],
    [
      'returns a section without text',
      () => JSON.parse('[{"id":"x","title":"X","weight":1}]'),
      'BAD_VALUE',
      'the section "x"',
    ],
    [
      'returns a section without a place',
      () => JSON.parse('[{"id":"x","title":"X","body":"b"}]'),
      'BAD_VALUE',
      '`weight`',
    ],
    [
      'takes a name that is taken',
      () => [section('identity', 50)],
      'BAD_VALUE',
      'prompt has a section of this name',
    ],
  ])('is named where it %s', async ([, sections, code, message]) => {
    const { draft } = await compilerOf([use(prompt), use(adding('culprit', sections))])
    const error = thrown(() => draft(bundleOf()))
    expect(PluginError.is(error)).toBe(true)
    expect(error).toMatchObject({
      plugin: 'culprit',
      code,
      message: expect.stringContaining(message),
    })
  })
})
