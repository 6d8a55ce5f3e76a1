import type { AnswerInput, Ask, Item } from '@amodal/sdk/client'
import type { Texts } from '../texts.ts'
import { button, h, type Child } from './dom.ts'
import { questionForm } from './question-form.ts'
import { values } from './values.ts'

export type OnAnswer = (answer: Omit<AnswerInput, 'id'>) => void

/** What the agent wants to know or may not do alone. */
export function askCard(
  { ask, open, settled }: Extract<Item, { readonly kind: 'ask' }>,
  texts: Texts,
  onAnswer: OnAnswer,
): Element {
  const title = open ? titleOf(ask, texts) : texts[settled?.decision ?? 'answered']
  return h(
    'section',
    { class: 'card', part: 'ask', 'data-open': String(open), 'aria-label': title },
    h('h3', { dir: 'auto' }, title),
    ...bodyOf(ask, open, texts, onAnswer),
    settled?.feedback !== undefined && h('p', {}, settled.feedback),
    settled?.answer !== undefined && h('p', {}, settled.answer),
  )
}

function titleOf(ask: Ask, texts: Texts): string {
  if (ask.kind !== 'question') return texts[ask.kind]
  return (ask.questions.length === 1 && ask.questions[0]?.text) || texts.question
}

function bodyOf(ask: Ask, open: boolean, texts: Texts, onAnswer: OnAnswer): readonly Child[] {
  switch (ask.kind) {
    case 'approval':
      return [
        h('p', {}, h('code', {}, ask.tool), ' ', ask.target === ask.tool ? '' : ask.target),
        ask.reason !== '' && h('p', { dir: 'auto' }, ask.reason),
        values(ask.params),
        open && approval(ask.grant, texts, onAnswer),
      ]
    case 'limit':
      return [
        h(
          'p',
          {},
          ask.reason.replaceAll('_', ' '),
          ask.limit !== '' && `: ${ask.used} / ${ask.limit}`,
        ),
        open &&
          h(
            'div',
            { class: 'buttons' },
            button(texts.goOn, () => onAnswer({ action: 'continue' }), { class: 'primary' }),
            button(texts.finish, () => onAnswer({ action: 'finish' })),
          ),
      ]
    case 'question':
      return [open && questionForm(ask.questions, texts, (answers) => onAnswer({ answers }))]
    default:
      return ask satisfies never
  }
}

/** The first click on "decline" opens a field for what to do instead; the second declines. */
function approval(grant: string | undefined, texts: Texts, onAnswer: OnAnswer): Element {
  const instead = h('textarea', {
    rows: '2',
    'aria-label': texts.instead,
    placeholder: texts.instead,
  })
  instead.hidden = true
  const decline = (): void => {
    if (instead.hidden) {
      instead.hidden = false
      instead.focus()
      return
    }
    const feedback = instead.value.trim()
    onAnswer({ approved: false, ...(feedback !== '' && { feedback }) })
  }
  return h(
    'div',
    { class: 'buttons' },
    button(texts.approve, () => onAnswer({ approved: true }), { class: 'primary' }),
    grant !== undefined &&
      button(texts.approveAll, () => onAnswer({ approved: true, scope: 'conversation' }), {
        title: grant,
      }),
    button(texts.decline, decline),
    instead,
  )
}
