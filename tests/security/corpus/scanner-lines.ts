import { type Random, randomFrom } from './random.ts'
import { numbered, type Split } from './split.ts'
import { fill, fillAll, type Filled, type Label } from './template.ts'
import * as bank from './templates/bank.ts'
import * as card from './templates/card.ts'
import * as iban from './templates/iban.ts'
import * as plain from './templates/plain.ts'
import * as ssn from './templates/ssn.ts'

export interface ScannerLine {
  readonly id: string
  readonly text: string
  readonly split: Split
  readonly labels: readonly Label[]
}

const random = (part: string): Random => randomFrom(`scanner/${part}`)

/** A template as an agent would say it: alone, or with a sentence before or behind it. */
function said(template: string, random: Random): Filled {
  const opener = random.chance(0.3)
    ? `${random.pick(plain.openers)}${random.pick([' ', '\n', '\n\n'])}`
    : ''
  const closer = random.chance(0.25)
    ? `${random.pick(['\n', '\n\n'])}${random.pick(plain.closers)}`
    : ''
  return fill(opener + template + closer, random)
}

const groups: readonly {
  readonly part: string
  readonly templates: readonly string[]
  readonly count: number
}[] = [
  { part: 'ssn found', templates: ssn.found, count: 225 },
  { part: 'ssn near', templates: ssn.near, count: 275 },
  { part: 'card found', templates: card.found, count: 215 },
  { part: 'card near', templates: card.near, count: 270 },
  { part: 'bank found', templates: bank.found, count: 190 },
  { part: 'bank near', templates: bank.near, count: 245 },
  { part: 'iban found', templates: iban.found, count: 130 },
  { part: 'iban near', templates: iban.near, count: 110 },
  { part: 'plain near', templates: plain.near, count: 60 },
]

/** Two things in one reply: something to find, and a near miss of another kind beside it. */
function mixed(count: number): readonly (Filled & { readonly unseen: boolean })[] {
  const drawn = random('mixed')
  const pairs = [
    [ssn.found, card.near],
    [card.found, iban.near],
    [iban.found, card.near],
    [card.found, plain.near],
    [ssn.found, iban.near],
    [iban.found, ssn.near],
  ] as const
  return Array.from({ length: count }, () => {
    const [found, near] = drawn.pick(pairs)
    const [first, second] = drawn.shuffled([
      drawn.pick(found.filter((_, index) => index % 10 !== 7)),
      drawn.pick(near.filter((_, index) => index % 10 !== 7)),
    ])
    return { ...fill(`${first ?? ''}\n\n${second ?? ''}`, drawn), unseen: false }
  })
}

/** A long reply: a list of near misses, in every other one a finding among them. */
function long(count: number): readonly (Filled & { readonly unseen: boolean })[] {
  const drawn = random('long')
  const seen = (templates: readonly string[]): readonly string[] =>
    templates.filter((template, index) => index % 10 !== 7 && !template.includes('\n'))
  const near = [ssn.near, card.near, iban.near, bank.near, plain.near].map(seen)
  const found = [card.found, iban.found].map(seen)
  return Array.from({ length: count }, (_, index) => {
    const items = Array.from({ length: drawn.between(3, 6) }, () => drawn.pick(drawn.pick(near)))
    const all = index % 2 === 0 ? items : drawn.shuffled([...items, drawn.pick(drawn.pick(found))])
    const [before, between] = drawn.pick([
      ['- ', '\n- '],
      ['', '\n\n'],
      ['* ', '\n* '],
      ['> ', '\n> '],
    ] as const)
    return {
      ...fill(`${drawn.pick(plain.openers)}\n\n${before}${all.join(between)}`, drawn),
      unseen: false,
    }
  })
}

export function scannerLines(): readonly ScannerLine[] {
  const lines = groups.flatMap(({ part, templates, count }) => {
    const drawn = random(part)
    return fillAll(templates, count, (template) => said(template, drawn))
  })
  return numbered('scan', [...lines, ...mixed(90), ...long(80)], random('split')).map(
    ({ id, split, line }) => ({ id, text: line.text, split, labels: line.labels }),
  )
}
