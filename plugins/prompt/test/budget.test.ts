import { definePlugin, PromptSections } from '@amodal/sdk'
import { describe, expect, it } from 'vitest'
import { prompt } from '../src/index.ts'
import { budgetOf, estimateTokens } from '../src/tokens.ts'
import { budgetTable } from '../src/budget-table.ts'
import { bundleOf, compilerOf, manifestOf, tool, use } from './support.ts'

const skills = definePlugin({
  name: 'skills',
  version: '1.0.0',
  setup({ add }) {
    add(PromptSections, 'skills', {
      sections: () => [
        {
          id: 'skills',
          title: 'Skills',
          body: 'x'.repeat(8_710),
          weight: 30,
          category: 'skill',
          parts: [
            { name: 'general', plugin: 'skills', chars: 3_560, file: 'skills/general.md' },
            { name: 'triage', chars: 5_150 },
          ],
        },
      ],
    })
  },
})

describe('the budget', () => {
  it('counts four characters as a token, rounded up', () => {
    expect([0, 1, 4, 5, 4_000].map(estimateTokens)).toEqual([0, 1, 1, 2, 1_000])
  })

  it('adds up: sections and tools to the total, total and rest to the window', async () => {
    const { compile } = await compilerOf([use(prompt), use(skills)])
    const compiled = compile(bundleOf({ manifest: manifestOf({ userContext: 'u'.repeat(40) }) }))
    const budget = budgetOf(compiled, { tools: [tool('a'), tool('b')] })
    expect(budget.rows.map(({ category, label }) => [category, label])).toEqual([
      ['system', 'System prompt'],
      ['skill', 'Skills (2)'],
      ['tool', 'Tools (2)'],
    ])
    expect(budget.rows[1]).toEqual({
      category: 'skill',
      label: 'Skills (2)',
      tokens: 2_180,
      parts: [
        { name: 'general', plugin: 'skills', tokens: 890, file: 'skills/general.md' },
        { name: 'triage', plugin: 'skills', tokens: 1_288 },
      ],
    })
    const [system, skill, tools] = budget.rows.map(({ tokens }) => tokens)
    expect(system! + skill!).toBe(compiled.tokens)
    expect(budget.total).toBe(system! + skill! + tools!)
    expect(budget.total + budget.available).toBe(200_000)
    expect(Math.abs(compiled.tokens - estimateTokens(compiled.text.length))).toBeLessThanOrEqual(
      compiled.sections.length,
    )
  })

  it('is printed as the table of the documentation', () => {
    const table = budgetTable({
      window: 200_000,
      total: 12_847,
      available: 187_153,
      rows: [
        { category: 'system', label: 'System prompt', tokens: 1_240, parts: [] },
        {
          category: 'skill',
          label: 'Skills (2)',
          tokens: 2_180,
          parts: [
            { name: 'general.md', tokens: 890 },
            { name: 'triage.md', tokens: 1_290 },
          ],
        },
        {
          category: 'connection',
          label: 'Connections (1)',
          tokens: 9_427,
          parts: [{ name: 'a-connection-with-a-long-name', tokens: 9_427 }],
        },
      ],
    })
    expect(table.split('\n')).toEqual([
      'Context Budget Breakdown',
      '─'.repeat(44),
      'System prompt           1,240 tokens (0.6%)',
      'Skills (2)              2,180 tokens (1.1%)',
      '  general.md              890',
      '  triage.md             1,290',
      'Connections (1)         9,427 tokens (4.7%)',
      '  a-connection-with-a-long-name  9,427',
      '─'.repeat(44),
      'Total context          12,847 tokens (6.4%)',
      'Available for chat    187,153 tokens (93.6%)',
    ])
    expect(budgetTable({ window: 1_000, total: 1_500, available: -500, rows: [] })).toContain(
      'Beyond the window         500 tokens (50.0%)',
    )
  })
})

describe('the window', () => {
  const windowOf = async (model: string | undefined, config: object = {}, raw: object = {}) => {
    const { compile } = await compilerOf([use(prompt, config)])
    return compile(
      bundleOf({
        manifest: manifestOf({
          models: model === undefined ? {} : { main: { provider: 'p', model } },
          raw: JSON.parse(JSON.stringify(raw)),
        }),
      }),
    ).window
  }

  it('is that of the model, by the longest beginning of its name', async () => {
    expect(await windowOf('claude-sonnet-4-20250514')).toBe(200_000)
    expect(await windowOf('gpt-4o-mini')).toBe(128_000)
    expect(await windowOf('gpt-4')).toBe(8_192)
    expect(await windowOf('meta/Llama-3.3-70b-versatile')).toBe(131_072)
  })

  it('is configured where the model is not known, and stated in the manifest above all', async () => {
    expect(await windowOf(undefined)).toBe(200_000)
    expect(await windowOf('in-house-7b')).toBe(200_000)
    expect(await windowOf('in-house-7b', { window: 16_000 })).toBe(16_000)
    expect(await windowOf('in-house-7b', { windows: { 'in-house': 32_000 } })).toBe(32_000)
    expect(await windowOf('gpt-4o', {}, { models: { main: { contextWindow: 64_000 } } })).toBe(
      64_000,
    )
  })
})
