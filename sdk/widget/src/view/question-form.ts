import type { AnswerInput, Ask } from '@amodal/sdk/client'
import type { Texts } from '../texts.ts'
import { button, h } from './dom.ts'

type Question = Extract<Ask, { readonly kind: 'question' }>['questions'][number]
type Answer = string | boolean | readonly string[]

/** Fields for what the agent wants to know; a single choice is one click. */
export function questionForm(
  questions: readonly Question[],
  texts: Texts,
  onAnswer: (answers: NonNullable<AnswerInput['answers']>) => void,
): Element {
  const [first] = questions
  const choices = questions.length === 1 && first ? choicesOf(first, texts) : undefined
  if (first && choices)
    return h(
      'div',
      { class: 'buttons', role: 'group', 'aria-label': first.text },
      ...choices.map(([label, value]) => button(label, () => onAnswer({ [first.id]: value }))),
    )
  const fields = questions.map((question) => fieldOf(question, texts))
  return h(
    'form',
    {
      onsubmit(event) {
        event.preventDefault()
        const answers = fields.map(({ id, answer }) => [id, answer()] as const)
        onAnswer(
          Object.fromEntries(
            answers.flatMap(([id, answer]) => (answer === undefined ? [] : [[id, answer]])),
          ),
        )
      },
    },
    ...fields.map(({ element }) => element),
    h('button', { class: 'primary' }, texts.answer),
  )
}

function choicesOf(
  { type, options }: Question,
  { yes, no }: Texts,
): readonly (readonly [string, string | boolean])[] | undefined {
  if (type === 'boolean')
    return [
      [yes, true],
      [no, false],
    ]
  return type === 'multi' ? undefined : options?.map(({ label, value }) => [label, value])
}

interface Field {
  readonly id: string
  readonly element: Element
  /** `undefined` where an optional one is empty. */
  readonly answer: () => Answer | undefined
}

function fieldOf(
  { id, text, type = 'text', options = [], required = true }: Question,
  texts: Texts,
): Field {
  const box = (label: string): [HTMLInputElement, Element] => {
    const input = h('input', { type: 'checkbox' })
    return [input, h('label', { class: 'check' }, input, label)]
  }
  switch (type) {
    case 'boolean': {
      const [input, element] = box(text)
      return { id, element, answer: () => input.checked }
    }
    case 'multi': {
      const boxes = options.map(({ label, value }) => [value, ...box(label)] as const)
      const chosen = (): readonly string[] =>
        boxes.flatMap(([value, input]) => (input.checked ? [value] : []))
      return {
        id,
        element: h('fieldset', {}, h('legend', {}, text), ...boxes.map(([, , element]) => element)),
        answer: () => (required || chosen().length > 0 ? chosen() : undefined),
      }
    }
    case 'choice':
    case 'text': {
      const input =
        type === 'text' || options.length === 0
          ? h('input', { required, autocomplete: 'off' })
          : h(
              'select',
              { required },
              h('option', { value: '' }, texts.choose),
              ...options.map(({ label, value }) => h('option', { value }, label)),
            )
      return {
        id,
        element: h('label', {}, text, input),
        answer: () => input.value || undefined,
      }
    }
    default:
      return type satisfies never
  }
}
