import { useCallback, useEffect, useId, useState, type ReactNode, type SubmitEvent } from 'react'
import type { Admin, Secret } from '../model/admin.ts'
import { problemOf } from '../model/server.ts'
import { useReport } from '../views/use-report.ts'

export interface AgentSecretsProps {
  readonly admin: Admin
  /** Those of proposed files. */
  readonly needed: readonly Secret[]
  /** Names of those that were set here: the server reads its settings anew a moment later. */
  readonly stored: ReadonlySet<string>
  readonly onStored: (name: string) => void
  readonly news: unknown
}

/** The secrets that the agent refers to: whether each is set, and a field for its value. */
export function AgentSecrets({
  admin,
  needed,
  stored,
  onStored,
  news,
}: AgentSecretsProps): ReactNode {
  const read = useCallback(() => admin.secrets(), [admin])
  const { value, problem, refresh } = useReport(read)
  const [success, setSuccess] = useState('')
  useEffect(() => refresh(), [news])
  const others = needed.filter(({ name }) => value?.every((one) => one.name !== name))
  const secrets = value && [...value, ...others]
  return (
    <>
      <p className="result" role="status">
        {success}
      </p>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {secrets?.length === 0 && (
        <p className="muted hint">
          The agent refers to no secret. A connection names one as <code>env:NAME</code>; its value
          is set here, and never goes into the chat.
        </p>
      )}
      <ul className="secrets">
        {secrets?.map((secret) => (
          <SecretRow
            key={secret.name}
            secret={secret}
            isSet={secret.set || stored.has(secret.name)}
            isProposed={others.includes(secret)}
            onStore={async (value) => {
              setSuccess('')
              await admin.storeSecret(secret.name, value)
              onStored(secret.name)
              setSuccess(`${secret.name} is set.`)
              refresh()
            }}
          />
        ))}
      </ul>
    </>
  )
}

function SecretRow({
  secret: { name, where },
  isSet,
  isProposed,
  onStore,
}: {
  readonly secret: Secret
  readonly isSet: boolean
  readonly isProposed: boolean
  readonly onStore: (value: string) => Promise<void>
}): ReactNode {
  const id = useId()
  const [value, setValue] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (value === '') return
    setBusy(true)
    setProblem(undefined)
    onStore(value)
      .then(
        () => setValue(''),
        (cause: unknown) => setProblem(problemOf(cause)),
      )
      .finally(() => setBusy(false))
      .catch(() => undefined) // both outcomes are handled above
  }
  return (
    <li>
      <div className="secret-head">
        <label htmlFor={id}>
          <code>{name}</code>
        </label>
        <span className={isSet ? 'state good' : 'state warn'}>{isSet ? 'set' : 'not set'}</span>
      </div>
      <p className="muted">
        {isProposed ? 'needed before you accept' : 'used in'} {where}
      </p>
      <form onSubmit={submit}>
        <input
          id={id}
          type="password"
          autoComplete="off"
          maxLength={20_000}
          placeholder={isSet ? 'A new value' : 'Its value'}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
        <button type="submit" disabled={isBusy || value === ''} aria-label={`Set ${name}`}>
          Set
        </button>
      </form>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
    </li>
  )
}
