import { expect, test } from 'vitest'
import { search } from '../src/search.ts'
import { call, libraryOf } from './library.ts'
import { DOCUMENTS, QUESTIONS, recallAt10 } from './labelled.ts'

test('recall at 10 of full text on 60 documents and 40 questions', async () => {
  expect([DOCUMENTS.length, QUESTIONS.length]).toEqual([60, 40])
  const library = libraryOf(DOCUMENTS)
  const { recall, missed } = await recallAt10(async (question) => {
    const { found } = await search(library, question, 20, call(DOCUMENTS))
    return [...new Set(found.map(({ name }) => name))]
  })
  process.stdout.write(
    `recall at 10, full text: ${recall.toFixed(3)}; missed: ${missed.join('; ')}\n`,
  )
  expect(recall).toBeGreaterThan(0.7)
})
