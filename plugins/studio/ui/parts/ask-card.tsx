import type { AskedQuestion, JsonObject } from '@amodal/sdk'
import type { OutgoingAnswer } from '@amodal/sdk/client'
import { useId, useState, type ReactNode, type SubmitEvent } from 'react'
import { plain, type Ask } from '../model/timeline.ts'
import { Icon } from './icons.tsx'
import { Raw } from './json-view.tsx'

export interface AskCardProps { readonly ask: Ask; readonly open: boolean; readonly onAnswer: (answer: OutgoingAnswer) => void }

/** What the agent wants to know or may not do alone: asked and answered where it stands in the conversation. */
export function AskCard({ ask, open, onAnswer }: AskCardProps): ReactNode {
  switch (ask.kind) {
    case 'approval': return <Approval ask={ask} open={open} onAnswer={onAnswer} />
    case 'limit': return <Limit ask={ask} open={open} onAnswer={onAnswer} />
    case 'question': return <Questions ask={ask} open={open} onAnswer={onAnswer} />
    default: return ask satisfies never
  }
}

type PropsOf<K extends Ask['kind']> = Omit<AskCardProps, 'ask'> & { readonly ask: Extract<Ask, { readonly kind: K }> }

function Approval({ ask, open, onAnswer }: PropsOf<'approval'>): ReactNode {
  const [feedback, setFeedback] = useState<string>()
  const title = useId()
  const decline = (): void => onAnswer({ id: ask.id, approved: false, ...(feedback?.trim() && { feedback: feedback.trim() }) })
  return (
    <section className="ask" aria-labelledby={title} data-open={open}>
      <header><Icon name="shield" /><h3 id={title}>{ask.escalated ? 'Needs a review' : 'Needs your approval'}</h3><code>{ask.tool}</code></header>
      {ask.reason !== '' && <p>{ask.reason}</p>}
      {ask.target !== '' && ask.target !== ask.tool && <p className="muted"><code>{ask.target}</code></p>}
      {!isEmpty(ask.params) && <Raw title="Arguments" text={plain(ask.params)} />}
      {open ? (
        <>
          {feedback !== undefined && <textarea rows={2} autoFocus aria-label="What to do instead" placeholder="What should it do instead? (optional)" value={feedback} onChange={(event) => setFeedback(event.target.value)} />}
          <footer>
            <button type="button" className="primary" onClick={() => onAnswer({ id: ask.id, approved: true })}><Icon name="check" />Approve</button>
            <button type="button" onClick={feedback === undefined ? () => setFeedback('') : decline}><Icon name="cross" />Decline{feedback === undefined && '…'}</button>
            {ask.expires !== undefined && <small className="muted">Open until {new Date(ask.expires).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}</small>}
          </footer>
        </>
      ) : <p className="muted">Answered.</p>}
    </section>
  )
}

function Limit({ ask, open, onAnswer }: PropsOf<'limit'>): ReactNode {
  const title = useId()
  return (
    <section className="ask" aria-labelledby={title} data-open={open}>
      <header><Icon name="question" /><h3 id={title}>A limit is reached. Go on?</h3></header>
      <p>{ask.reason.replaceAll('_', ' ')}{ask.limit !== '' && `: ${ask.used} of ${ask.limit} used`}</p>
      {open ? (
        <footer>
          <button type="button" className="primary" onClick={() => onAnswer({ id: ask.id, action: 'continue' })}>Continue</button>
          <button type="button" onClick={() => onAnswer({ id: ask.id, action: 'finish' })}>Finish</button>
        </footer>
      ) : <p className="muted">Answered.</p>}
    </section>
  )
}

function Questions({ ask, open, onAnswer }: PropsOf<'question'>): ReactNode {
  const [values, setValues] = useState<JsonObject>({})
  const title = useId()
  const [first] = ask.questions
  const isOneChoice = ask.questions.length === 1 && first?.options !== undefined && first.type !== 'multi'
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    onAnswer({ id: ask.id, answers: values })
  }
  return (
    <form className="ask" aria-labelledby={title} data-open={open} onSubmit={submit}>
      <header><Icon name="question" /><h3 id={title}>{ask.questions.length === 1 ? first?.text : 'The agent asks'}</h3></header>
      {open && isOneChoice && (
        <div className="options" role="group" aria-labelledby={title}>
          {first.options.map(({ label, value }) => <button key={value} type="button" onClick={() => onAnswer({ id: ask.id, answers: { [first.id]: value } })}>{label}</button>)}
        </div>
      )}
      {open && !isOneChoice && (
        <>
          {ask.questions.map((question) => {
            const { id } = question
            return <Field key={id} question={question} alone={ask.questions.length === 1} value={values[id]} onChange={(value) => setValues({ ...values, [id]: value })} />
          })}
          <footer><button type="submit" className="primary" disabled={ask.questions.some((question) => isMissing(question, values))}>Answer</button></footer>
        </>
      )}
      {!open && <p className="muted">Answered.</p>}
    </form>
  )
}

const isMissing = ({ id, type }: AskedQuestion, values: JsonObject): boolean => type !== 'boolean' && type !== 'multi' && plain(values[id] ?? '').trim() === ''

type Value = string | boolean | readonly string[]

function Field({ question: { id, text, type = 'text', options = [] }, alone, value, onChange }: {
  readonly question: AskedQuestion; readonly alone: boolean; readonly value: JsonObject[string] | undefined; readonly onChange: (value: Value) => void
}): ReactNode {
  const chosen = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  const legend = alone ? undefined : <span>{text}</span>
  switch (type) {
    case 'boolean': return <label className="check"><input type="checkbox" name={id} checked={value === true} onChange={(event) => onChange(event.target.checked)} />{alone ? 'Yes' : text}</label>
    case 'multi':
      return (
        <fieldset>
          <legend className={alone ? 'sr' : undefined}>{text}</legend>
          {options.map((option) => (
            <label key={option.value} className="check">
              <input type="checkbox" checked={chosen.includes(option.value)} onChange={(event) => onChange(event.target.checked ? [...chosen, option.value] : chosen.filter((one) => one !== option.value))} />{option.label}
            </label>
          ))}
        </fieldset>
      )
    case 'choice':
      return (
        <label>{legend}
          <select aria-label={text} value={typeof value === 'string' ? value : ''} onChange={(event) => onChange(event.target.value)}>
            <option value="" disabled>Choose…</option>
            {options.map((option) => <option key={option.value} value={option.value}>{option.label}</option>)}
          </select>
        </label>
      )
    case 'text': return <label>{legend}<input type="text" aria-label={text} value={typeof value === 'string' ? value : ''} onChange={(event) => onChange(event.target.value)} autoComplete="off" /></label>
    default: return type satisfies never
  }
}

const isEmpty = (value: unknown): boolean => value === null || (typeof value === 'object' && Object.keys(value).length === 0)
