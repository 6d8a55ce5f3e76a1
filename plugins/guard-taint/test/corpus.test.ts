import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Corpus, type Source } from '../src/corpus.ts'

const word = fc.constantFrom(
  'acme',
  'Acme',
  'a.b@acme.example',
  'b@acme.example',
  'invoice',
  '1,200',
  '1200',
  'DE89 3704 0044',
  'pay',
  'now',
  'c-17',
  '+46 8 123 456',
  'ü',
  'lorem'.repeat(900),
)
const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))

test('finds the same whether texts were indexed or are read through', () => {
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 12 }),
      fc.array(text, { minLength: 1, maxLength: 6 }),
      (texts, wanted) => {
        const [read, indexed] = [new Corpus(100_000), new Corpus(100_000)]
        for (const [n, one] of texts.entries()) {
          const source: Source = { tool: `tool_${n}`, call: '', connection: '', text: one }
          read.add(source)
          indexed.add(source)
          indexed.findNumber(1) // indexes all that there is
        }
        for (const one of wanted) expect(read.find(one)).toEqual(indexed.find(one))
      },
    ),
  )
})
