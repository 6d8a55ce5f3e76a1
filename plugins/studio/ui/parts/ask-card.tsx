import type { AskedQuestion, Json, JsonObject } from '@amodal/sdk'
import type { AnswerInput } from '@amodal/sdk/client'
import { useId, useState, type ReactNode, type SubmitEvent } from 'react'
import { plain, type Ask, type Settled } from '../model/timeline.ts'
import { Approval } from './approval.tsx'
import { Decided } from './decided.tsx'
import { Icon } from './icons.tsx'

export interface AskCardProps {
  readonly ask: Ask
  readonly open: boolean
  readonly settled: Settled | undefined
  readonly nameOf: (by: string) => string
  readonly onAnswer: (answer: AnswerInput) => void
  /** What is wrong with the answer before, where it stands with the card. */
  readonly problem?: string | undefined
}

/**
 * What the agent wants to know or may not do alone: asked and answered where it stands in the
 * conversation.
 */
export function AskCard({ ask, problem, ...rest }: AskCardProps): ReactNode {
  switch (ask.kind) {
    case 'approval':
      return (
        <>
          <Approval ask={ask} {...rest} />
          <Problem id={undefined} text={problem} />
        </>
      )
    case 'limit':
      return <Limit ask={ask} {...rest} />
    case 'question':
      return <Questions ask={ask} problem={problem} {...rest} />
    default:
      return ask satisfies never
  }
}

const Problem = ({
  id,
  text,
}: {
  readonly id: string | undefined
  readonly text: string | undefined
}): ReactNode =>
  text !== undefined && (
    <p className="note error" role="alert" id={id}>
      {text}
    </p>
  )

type PropsOf<K extends Ask['kind']> = Omit<AskCardProps, 'ask'> & {
  readonly ask: Extract<Ask, { readonly kind: K }>
}

function Limit({ ask, open, settled, nameOf, onAnswer }: PropsOf<'limit'>): ReactNode {
  const title = useId()
  return (
    <section className="ask" aria-labelledby={title} data-open={open}>
      <header>
        <Icon name="question" />
        <h3 id={title}>A limit is reached. Go on?</h3>
      </header>
      <p>
        {ask.reason.replaceAll('_', ' ')}
        {ask.limit !== '' && `: ${ask.used} of ${ask.limit} used`}
      </p>
      {open ? (
        <footer>
          <button
            type="button"
            className="primary"
            onClick={() => onAnswer({ id: ask.id, action: 'continue' })}
          >
            Continue
          </button>
          <button type="button" onClick={() => onAnswer({ id: ask.id, action: 'finish' })}>
            Finish
          </button>
        </footer>
      ) : (
        <Decided settled={settled} nameOf={nameOf} />
      )}
    </section>
  )
}

function Questions({
  ask,
  open,
  settled,
  nameOf,
  onAnswer,
  problem,
}: PropsOf<'question'>): ReactNode {
  const [values, setValues] = useState<JsonObject>(() =>
    Object.fromEntries(
      ask.questions.flatMap(({ id, default: preset }) =>
        preset === undefined ? [] : [[id, preset]],
      ),
    ),
  )
  const title = useId()
  const [first] = ask.questions
  const choices = ask.questions.length === 1 && first ? choicesOf(first) : undefined
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    onAnswer({
      id: ask.id,
      answers: Object.fromEntries(ask.questions.flatMap((question) => answerTo(question, values))),
    })
  }
  return (
    <form className="ask" aria-labelledby={title} data-open={open} onSubmit={submit}>
      <header>
        <Icon name="question" />
        <h3 id={title}>{ask.questions.length === 1 ? first?.text : 'The agent asks'}</h3>
      </header>
      {open && choices && first && (
        <div className="options" role="group" aria-labelledby={title}>
          {choices.map(({ label, value }) => (
            <button
              key={label}
              type="button"
              onClick={() => onAnswer({ id: ask.id, answers: { [first.id]: value } })}
            >
              {label}
            </button>
          ))}
        </div>
      )}
      {choices && <Problem id={undefined} text={problem} />}
      {open && !choices && (
        <>
          {ask.questions.map((question) => {
            const { id } = question
            return (
              <Field
                key={id}
                question={question}
                alone={ask.questions.length === 1}
                value={values[id]}
                problemId={problem === undefined ? undefined : `${title}-problem`}
                onChange={(value) => setValues({ ...values, [id]: value })}
              />
            )
          })}
          <Problem id={`${title}-problem`} text={problem} />
          <footer>
            <button
              type="submit"
              className="primary"
              disabled={
                !isRefused(values) && ask.questions.some((question) => isMissing(question, values))
              }
            >
              Answer
            </button>
          </footer>
        </>
      )}
      {!open && (
        <Decided
          settled={
            settled && {
              ...settled,
              ...(settled.answer !== undefined && {
                answer: wordsOf(settled.answer, ask.questions),
              }),
            }
          }
          nameOf={nameOf}
        />
      )}
    </form>
  )
}

/** What a single question is answered with by one click. */
function choicesOf({
  type,
  options,
}: AskedQuestion):
  | readonly { readonly label: string; readonly value: string | boolean }[]
  | undefined {
  if (type === 'boolean')
    return [
      { label: 'Yes', value: true },
      { label: 'No', value: false },
    ]
  return type === 'multi' ? undefined : options
}

/** A box that was left empty is an answer, too, and a field that may be left empty is none. */
function answerTo(
  { id, type, required = true }: AskedQuestion,
  values: JsonObject,
): readonly (readonly [id: string, value: Json])[] {
  const empty = type === 'multi' ? [] : undefined
  const unset = type === 'boolean' ? false : empty
  const value = values[id] ?? (required ? unset : undefined)
  return value === undefined ||
    (!required && (value === '' || (Array.isArray(value) && value.length === 0)))
    ? []
    : [[id, value]]
}

/** A form that is declined or cancelled need not be filled in. */
const isRefused = ({ _action: action }: JsonObject): boolean =>
  action === 'decline' || action === 'cancel'

/** What was answered, as the person who answered it saw it: labels in place of values. */
function wordsOf(outcome: string, questions: readonly AskedQuestion[]): string {
  const { response = outcome, answers } = parsed(outcome)
  if (typeof answers !== 'object' || answers === null || Array.isArray(answers))
    return labelOf(response, questions[0])
  const given = answers as JsonObject // JSON that is no list
  return questions
    .map((question) => `${question.text} ${labelOf(given[question.id] ?? null, question)}`)
    .join('\n')
}

/** The outcome of a question: a text, or JSON of what was answered. */
function parsed(outcome: string): JsonObject {
  if (!outcome.startsWith('{')) return {}
  try {
    return JSON.parse(outcome) as JsonObject // begins like an object
  } catch {
    return {} // a text that begins like JSON
  }
}

function labelOf(value: Json, question: AskedQuestion | undefined): string {
  if (Array.isArray(value))
    // a list of JSON
    return (value as readonly Json[]).map((one) => labelOf(one, question)).join(', ') || 'none'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return (
    question?.options?.find((option) => option.value === value)?.label ??
    (value === null ? '' : plain(value))
  )
}

const isMissing = ({ id, type, required = true }: AskedQuestion, values: JsonObject): boolean =>
  required && type !== 'boolean' && type !== 'multi' && plain(values[id] ?? '').trim() === ''

type Value = string | boolean | readonly string[]

function Field({
  question: { id, text, type = 'text', options = [] },
  alone,
  value,
  problemId,
  onChange,
}: {
  readonly question: AskedQuestion
  readonly alone: boolean
  readonly value: JsonObject[string] | undefined
  /** Element that says what is wrong with the answer. */
  readonly problemId: string | undefined
  readonly onChange: (value: Value) => void
}): ReactNode {
  const chosen = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  const legend = alone ? undefined : <span>{text}</span>
  switch (type) {
    case 'boolean':
      return (
        <label className="check">
          <input
            type="checkbox"
            name={id}
            checked={value === true}
            onChange={(event) => onChange(event.target.checked)}
          />
          {alone ? 'Yes' : text}
        </label>
      )
    case 'multi':
      return (
        <fieldset>
          <legend className={alone ? 'sr' : undefined}>{text}</legend>
          {options.map((option) => (
            <label key={option.value} className="check">
              <input
                type="checkbox"
                checked={chosen.includes(option.value)}
                onChange={(event) =>
                  onChange(
                    event.target.checked
                      ? [...chosen, option.value]
                      : chosen.filter((one) => one !== option.value),
                  )
                }
              />
              {option.label}
            </label>
          ))}
        </fieldset>
      )
    case 'choice':
      return (
        <label>
          {legend}
          <select
            aria-label={text}
            value={typeof value === 'string' ? value : ''}
            onChange={(event) => onChange(event.target.value)}
          >
            <option value="" disabled>
              Choose…
            </option>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
        </label>
      )
    case 'text':
      return (
        <label>
          {legend}
          <input
            type="text"
            aria-label={text}
            aria-invalid={problemId === undefined ? undefined : true}
            aria-describedby={problemId}
            value={typeof value === 'string' || typeof value === 'number' ? value : ''}
            onChange={(event) => onChange(event.target.value)}
            autoComplete="off"
          />
        </label>
      )
    default:
      return type satisfies never
  }
}
