import { useState, type FormEvent, type ReactNode } from 'react'
import type { Ask } from '@amodal/sdk/client'

type Question = Extract<Ask, { readonly kind: 'question' }>['questions'][number]
type Answer = string | boolean | readonly string[]
type Answers = Readonly<Record<string, Answer>>

export interface QuestionFormProps {
  readonly questions: readonly Question[]
  readonly onAnswer: (answers: Answers) => void
}

/** Fields for what the agent wants to know; a single choice is one click. */
export function QuestionForm({ questions, onAnswer }: QuestionFormProps): ReactNode {
  const [answers, setAnswers] = useState<Answers>({})
  const [first] = questions
  const choices = questions.length === 1 && first ? choicesOf(first) : undefined
  if (first && choices)
    return (
      <div className="pcw-choices" role="group" aria-label={first.text}>
        {choices.map(({ label, value }) => (
          <button key={label} type="button" onClick={() => onAnswer({ [first.id]: value })}>
            {label}
          </button>
        ))}
      </div>
    )
  const isMissing = questions.some(
    ({ id, type = 'text', required = true }) =>
      required && (type === 'text' || type === 'choice') && (answers[id] ?? '') === '',
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isMissing) onAnswer(answersTo(questions, answers))
  }
  return (
    <form className="pcw-questions" onSubmit={submit}>
      {questions.map((question) => (
        <Field
          key={question.id}
          question={question}
          isAlone={questions.length === 1}
          answer={answers[question.id]}
          onChange={(answer) => setAnswers({ ...answers, [question.id]: answer })}
        />
      ))}
      <button type="submit" className="pcw-primary" disabled={isMissing}>
        Answer
      </button>
    </form>
  )
}

/** What a single question is answered with by one click. */
function choicesOf({
  type,
  options,
}: Question): readonly { readonly label: string; readonly value: string | boolean }[] | undefined {
  if (type === 'boolean')
    return [
      { label: 'Yes', value: true },
      { label: 'No', value: false },
    ]
  return type === 'multi' ? undefined : options
}

/** A box that is not ticked is an answer, too; an optional field that is empty is none. */
const answersTo = (questions: readonly Question[], answers: Answers): Answers =>
  Object.fromEntries(
    questions.flatMap(({ id, type, required = true }) => {
      const answer = answers[id] ?? (required ? unsetOf(type) : undefined)
      return answer === undefined || (!required && answer.toString() === '') ? [] : [[id, answer]]
    }),
  )

function unsetOf(type: Question['type']): Answer | undefined {
  if (type === 'boolean') return false
  return type === 'multi' ? [] : undefined
}

interface FieldProps {
  readonly question: Question
  readonly isAlone: boolean
  readonly answer: Answer | undefined
  readonly onChange: (answer: Answer) => void
}

function Field({ question, isAlone, answer, onChange }: FieldProps): ReactNode {
  const { text, type = 'text', options = [] } = question
  const chosen = Array.isArray(answer) ? (answer as readonly string[]) : [] // of several options
  switch (type) {
    case 'boolean':
      return (
        <label className="pcw-check">
          <input
            type="checkbox"
            checked={answer === true}
            onChange={(event) => onChange(event.target.checked)}
          />
          {text}
        </label>
      )
    case 'multi':
      return <Options text={text} options={options} chosen={chosen} onChange={onChange} />
    case 'choice':
      return (
        <label>
          {!isAlone && <span>{text}</span>}
          <Select text={text} options={options} answer={answer} onChange={onChange} />
        </label>
      )
    case 'text':
      return (
        <label>
          {!isAlone && <span>{text}</span>}
          <input
            type="text"
            aria-label={text}
            autoComplete="off"
            value={typeof answer === 'string' ? answer : ''}
            onChange={(event) => onChange(event.target.value)}
          />
        </label>
      )
    default:
      return type satisfies never
  }
}

interface OptionsProps {
  readonly text: string
  readonly options: NonNullable<Question['options']>
  readonly onChange: (answer: Answer) => void
}

const Options = ({
  text,
  options,
  chosen,
  onChange,
}: OptionsProps & { readonly chosen: readonly string[] }): ReactNode => (
  <fieldset>
    <legend>{text}</legend>
    {options.map(({ label, value }) => (
      <label key={value} className="pcw-check">
        <input
          type="checkbox"
          checked={chosen.includes(value)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
          }
        />
        {label}
      </label>
    ))}
  </fieldset>
)

const Select = ({
  text,
  options,
  answer,
  onChange,
}: OptionsProps & { readonly answer: Answer | undefined }): ReactNode => (
  <select
    aria-label={text}
    value={typeof answer === 'string' ? answer : ''}
    onChange={(event) => onChange(event.target.value)}
  >
    <option value="" disabled>
      Choose…
    </option>
    {options.map(({ label, value }) => (
      <option key={value} value={value}>
        {label}
      </option>
    ))}
  </select>
)
