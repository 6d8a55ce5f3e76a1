import { describe, expect, test } from 'vitest'
import { passagesOf, passagesOfLines } from '../src/passages.ts'

describe('passages of a Markdown document', () => {
  test('stand under their headings, as a path', () => {
    expect(
      passagesOf(
        'Intro.\n\n## Refunds\n\nWithin 30 days.\n\n### Annual ##\n\nNever.\n\n## Other\nText',
      ),
    ).toEqual([
      { heading: '', text: 'Intro.' },
      { heading: 'Refunds', text: 'Within 30 days.' },
      { heading: 'Refunds › Annual', text: 'Never.' },
      { heading: 'Other', text: 'Text' },
    ])
  })

  test('a # inside of code is no heading, and code is one paragraph', () => {
    expect(passagesOf('## Run\n\n```sh\n# first\n\nnpm start\n```\n\nDone.')).toEqual([
      { heading: 'Run', text: '```sh\n# first\n\nnpm start\n```\n\nDone.' },
    ])
  })

  test('paragraphs are joined while they are short, and a long one is cut between sentences', () => {
    const sentence = 'This is a sentence of some words. '
    const passages = passagesOf(`Short.\n\n${sentence.repeat(80)}\n\nLast.`)
    expect(passages.length).toBeGreaterThan(2)
    for (const { text } of passages) expect(text.length).toBeLessThanOrEqual(1_000)
    expect(passages[1]?.text.endsWith('words.')).toBe(true)
    expect(
      passages
        .map(({ text }) => text)
        .join(' ')
        .replaceAll(/\s+/g, ' '),
    ).toBe(`Short. ${sentence.repeat(80)}Last.`)
  })

  test('nothing is lost of a text without an end, nor is a character cut in two', () => {
    const text = `x${'🚲'.repeat(2_000)}`
    const passages = passagesOf(text)
    expect(passages.map((passage) => passage.text).join('')).toBe(text)
    for (const passage of passages) expect(passage.text.isWellFormed()).toBe(true)
  })

  test('a document without text has one, so that its title is found', () => {
    for (const empty of ['', '\n\n', '## Only a heading'])
      expect(passagesOf(empty)).toEqual([{ heading: '', text: '' }])
  })
})

test('fields of a record are lines, whatever is in them', () => {
  expect(passagesOfLines(['title: # not a heading', 'notes: x'])).toEqual([
    { heading: '', text: 'title: # not a heading\nnotes: x' },
  ])
})
