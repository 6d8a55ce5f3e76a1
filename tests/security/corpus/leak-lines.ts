import { type Random, randomFrom } from './random.ts'
import { similarTo } from './similar.ts'
import { numbered, type Split } from './split.ts'
import { fill, fillAll } from './template.ts'
import type { Sensitivity } from './sensitivity.ts'
import * as templates from './templates/leaks.ts'
import { near as plainReplies } from './templates/plain.ts'
import { forenames, people, surnames, type Tracked, valueOf } from './tracked.ts'

export interface LeakLine {
  readonly id: string
  readonly tracked: readonly Tracked[]
  readonly text: string
  readonly split: Split
  readonly leaks: readonly string[]
}

type Draft = Omit<LeakLine, 'id' | 'split'>

const random = (part: string): Random => randomFrom(`leaks/${part}`)
const sensitivityOf = (field: string): Sensitivity =>
  templates.leaking.find((template) => template.field === field)?.sensitivity ?? 'pii_identifier'
const entityOf = (field: string): string =>
  templates.leaking.find((template) => template.field === field)?.entity ?? 'Employee'

const tracked = (field: string, random: Random): Tracked => ({
  value: valueOf(field, random),
  sensitivity: sensitivityOf(field),
  entity: entityOf(field),
  field,
})

/** Other values of the session, which the text does not give away. */
const bystanders = (random: Random, notOf: string): readonly Tracked[] =>
  random
    .shuffled(['ssn', 'passport_number', 'customer_key', 'bank_account', 'salary'])
    .filter((field) => entityOf(field) !== notOf)
    .slice(0, random.between(0, 2))
    .map((field) => tracked(field, random))

/** The ways a value is spelled that are still the value: by case, by separators, by spacing. */
function spellings(value: string, field: string): readonly string[] {
  if (field === 'email')
    return [
      value,
      value,
      value.toUpperCase(),
      value.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    ]
  if (field === 'internal_notes' || field === 'codename') {
    return [
      value,
      value,
      value.toUpperCase(),
      value.toLowerCase(),
      value.replace(/[,-] ?/g, ' '),
      value.replace(' ', '  '),
      value.replace(' ', '\n'),
      value.replace(/ /g, '-'),
    ]
  }
  if (field === 'salary' || field === 'credit_limit')
    return [
      value,
      `$${value}`,
      `${value} USD`,
      value.replace(',', ''),
      value.replace(',', '\u00a0'),
      value.replace(',', '\u2019'),
    ]
  const bare = value.replace(/[- ]/g, '')
  return [
    value,
    value,
    value.toLowerCase(),
    bare,
    value.replace(/[- ]/g, ' '),
    value.replace(/[- ]/g, '.'),
    value.replace(/[- ]/g, '/'),
    value.replace(/[- ]/g, '\u2013'),
    bare.toLowerCase(),
  ]
}

/**
 * A spelling as the place it stands in asks for: encoded in an address, on one line in a string or
 * a branch.
 */
function placed(template: string, spelled: string): string {
  if (template.startsWith('http') || template.startsWith('GET')) return encodeURIComponent(spelled)
  if (template.includes('/{v}')) return spelled.replace(/\s+/g, '-')
  return template.includes('"{v}"') ? spelled.replace('\n', ' ') : spelled
}

function leakingValues(): readonly (Draft & { readonly unseen: boolean })[] {
  const drawn = random('values')
  return templates.leaking.flatMap(({ field, entity, texts }) =>
    fillAll(texts, field === 'codename' || field === 'internal_notes' ? 15 : 20, (template) => {
      const one = tracked(field, drawn)
      const spelled = drawn.pick(spellings(one.value, field))
      const v = (): string => placed(template, spelled)
      return {
        tracked: drawn.shuffled([one, ...bystanders(drawn, entity)]),
        text: fill(template, drawn, { v }).text,
        leaks: [one.value],
      }
    }),
  )
}

function leakingNames(): readonly (Draft & { readonly unseen: boolean })[] {
  const drawn = random('names')
  return templates.namesGivenAway.flatMap(({ entity, field, texts }) =>
    fillAll(texts, texts.length * 4, (template) => {
      const value = drawn.pick(
        field === 'full_name' ? people : field === 'last_name' ? surnames : forenames,
      )
      const [first = '', last = ''] = value.split(' ')
      const spelled = drawn.pick([
        value,
        value,
        value.toUpperCase(),
        ...(field === 'full_name'
          ? [
              value.toLowerCase(),
              `${last}, ${first}`,
              `${first}  ${last}`,
              `${last.toUpperCase()} ${first}`,
              `${first}\u00a0${last}`,
            ]
          : []),
      ])
      const name: Tracked = { value, sensitivity: 'pii_name', entity, field }
      const sibling: Tracked = {
        value: valueOf('phone', drawn),
        sensitivity: 'pii_identifier',
        entity,
        field: 'phone',
      }
      const { text } = fill(template, drawn, {
        v: () => placed(template, spelled),
        sibling: () => sibling.value,
      })
      const siblings = template.includes('{sibling}') ? [sibling] : []
      return {
        tracked: [name, ...siblings, ...bystanders(drawn, entity)],
        text,
        leaks: [...siblings, name].map((leak) => leak.value),
      }
    }),
  )
}

/** Far more text than any idea of "near" spans. */
const farFrom = (text: string, word: string, random: Random): string =>
  random.chance(0.5)
    ? `${text} ${random.shuffled(templates.padding).join(' ')} Open ${word} tickets: ${random.between(2, 40)}.`
    : `Open ${word} tickets: ${random.between(2, 40)}. ${random.shuffled(templates.padding).join(' ')} ${text}`

function words(): readonly (Draft & { readonly unseen: boolean })[] {
  const drawn = random('words')
  return templates.wordsNotNames.flatMap(({ value, texts }) =>
    fillAll(texts, Math.max(6, texts.length * 2), (template) => {
      const [entity, field] = drawn.pick([
        ['Patient', 'first_name'],
        ['Employee', 'last_name'],
        ['Contact', 'first_name'],
      ] as const)
      const { text } = fill(template, drawn)
      const far = drawn.chance(0.2) ? farFrom(text, entity.toLowerCase(), drawn) : text
      return {
        tracked: [{ value, sensitivity: 'pii_name', entity, field }, ...bystanders(drawn, entity)],
        text: far,
        leaks: [],
      }
    }),
  )
}

function similarValues(): readonly (Draft & { readonly unseen: boolean })[] {
  const drawn = random('similar')
  return Object.entries(templates.similar).flatMap(([field, texts]) =>
    fillAll(texts, field === 'internal_notes' || field === 'codename' ? 14 : 24, (template) => {
      const one = tracked(field, drawn)
      const text = drawn.chance(0.2) ? `${template}\n\n${drawn.pick(plainReplies)}` : template
      return {
        tracked: drawn.shuffled([one, ...bystanders(drawn, one.entity)]),
        text: fill(text, drawn, similarTo(one.value, drawn)).text,
        leaks: [],
      }
    }),
  )
}

function shortNumbers(): readonly (Draft & { readonly unseen: boolean })[] {
  const drawn = random('short')
  return fillAll(templates.shortNumbers, 40, (template) => {
    const pin = tracked('pin', drawn)
    return {
      tracked: [pin, ...bystanders(drawn, 'Employee')],
      text: fill(template, drawn, similarTo(pin.value, drawn)).text,
      leaks: [],
    }
  })
}

function names(): readonly (Draft & { readonly unseen: boolean })[] {
  const drawn = random('other people')
  const others = fillAll(templates.otherPeople, 70, (template) => {
    const value = drawn.pick(people)
    const [first = '', last = ''] = value.split(' ')
    const draw = (taken: string, from: readonly string[]) => (): string =>
      drawn.pick(from.filter((other) => other !== taken))
    const own = {
      first_of: () => first,
      last_of: () => last,
      last: draw(last, surnames),
      first: draw(
        first,
        people.map((person) => person.replace(/ .*/, '')),
      ),
    }
    const entity = drawn.pick(['Contact', 'Customer', 'Patient'])
    return {
      tracked: [{ value, sensitivity: 'pii_name' as const, entity, field: 'full_name' }],
      text: fill(template, drawn, own).text,
      leaks: [],
    }
  })
  const alone = fillAll(templates.nameAlone, 40, (template) => {
    const value = drawn.pick(people)
    const entity = drawn.pick(['Contact', 'Patient', 'Employee'])
    const { text } = fill(template, drawn, {
      v: () => value,
      date_year: () => String(drawn.between(1950, 2020)),
    })
    return {
      tracked: [
        { value, sensitivity: 'pii_name' as const, entity, field: 'full_name' },
        ...bystanders(drawn, entity),
      ],
      text: drawn.chance(0.4) ? farFrom(text, entity.toLowerCase(), drawn) : text,
      leaks: [],
    }
  })
  return [...others, ...alone]
}

function ordinary(): readonly (Draft & { readonly unseen: boolean })[] {
  const drawn = random('ordinary')
  return fillAll(plainReplies, 40, (template) => ({
    tracked: [tracked('ssn', drawn), tracked('email', drawn), ...bystanders(drawn, 'Contact')],
    text: fill(template, drawn).text,
    leaks: [],
  }))
}

export function leakLines(): readonly LeakLine[] {
  const drafts = [
    leakingValues(),
    leakingNames(),
    words(),
    similarValues(),
    shortNumbers(),
    names(),
    ordinary(),
  ].flat()
  return numbered('leak', drafts, random('split')).map(({ id, split, line }) => ({
    id,
    tracked: line.tracked,
    text: line.text,
    split,
    leaks: line.leaks,
  }))
}
