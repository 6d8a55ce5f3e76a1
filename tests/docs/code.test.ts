import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentProblems } from './agent-files.ts'
import { typeProblems } from './code.ts'
import { allExamples, exampleProblems } from './comment-examples.ts'
import { allPages } from './pages.ts'
import { Workbench } from './workbench.ts'

const LONG = 120_000
const blocks = allPages().flatMap((page) => page.blocks)

describe('code', () => {
  let bench: Workbench
  beforeAll(() => {
    bench = new Workbench()
  })
  afterAll(() => bench.remove())

  test(
    'in pages fits the types of the product, and so do the events',
    async () => {
      expect(await typeProblems(blocks, bench)).toEqual([])
    },
    LONG,
  )
})

describe('examples in docstrings', () => {
  const [manifests, code] = [true, false].map((json) =>
    allExamples().filter(({ text }) => text.startsWith('// amodal.json\n') === json),
  )
  let bench: Workbench
  beforeAll(() => {
    bench = new Workbench()
  })
  afterAll(() => bench.remove())

  test(
    'fit the types of the product',
    async () => {
      expect(code?.length).toBeGreaterThan(30)
      expect(await exampleProblems(code ?? [], bench)).toEqual([])
    },
    LONG,
  )

  test(
    'of manifests load',
    async () => {
      expect(
        await agentProblems(
          (manifests ?? []).map(({ file, line, text }) => ({
            page: file,
            line,
            lang: 'jsonc',
            info: 'amodal.json',
            text,
          })),
        ),
      ).toEqual([])
    },
    LONG,
  )
})
