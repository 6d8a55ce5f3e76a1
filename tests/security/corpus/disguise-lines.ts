import { disguises } from './disguises.ts'
import { cardDigits, cardSpelling, ibanCompact } from './findings.ts'
import { randomFrom } from './random.ts'
import { numbered, type Split } from './split.ts'
import { fill } from './template.ts'
import { carriers } from './templates/carriers.ts'
import { codenames, notes } from './templates/leaks.ts'
import { valueOf } from './tracked.ts'

export interface DisguiseLine {
  readonly id: string
  readonly disguise: string
  readonly value: string
  readonly text: string
  readonly split: Split
}

const LINES_EACH = 7

export function disguiseLines(): readonly DisguiseLine[] {
  const random = randomFrom('disguises')
  const draw: readonly (() => string)[] = [
    () => valueOf('ssn', random),
    () => valueOf('email', random),
    () => valueOf('customer_key', random),
    () => cardSpelling(cardDigits(random), ' '),
    () => ibanCompact(random),
    () => random.pick(notes),
    () => random.pick(codenames),
    () => valueOf('passport_number', random),
    () => valueOf('insurance_id', random),
  ]
  const lines = disguises.flatMap(({ name, fits, apply }) => {
    const made: {
      readonly disguise: string
      readonly value: string
      readonly text: string
      readonly unseen: boolean
    }[] = []
    for (let turn = 0; made.length < LINES_EACH; turn++) {
      const value = draw[turn % draw.length]?.() ?? ''
      if (!fits(value)) continue
      const disguised = apply(value, random)
      if (disguised === value) continue
      const { text } = fill(random.pick(carriers), random, { v: () => disguised })
      made.push({ disguise: name, value, text, unseen: made.length % 5 === 3 })
    }
    return made
  })
  return numbered('mask', lines, random).map(({ id, split, line }) => ({
    id,
    disguise: line.disguise,
    value: line.value,
    text: line.text,
    split,
  }))
}
