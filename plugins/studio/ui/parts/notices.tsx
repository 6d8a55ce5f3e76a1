import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'

/** What is wrong with the server or with the agent's files, above whatever is looked at. */
export function Notices({
  isLost,
  problems,
}: {
  readonly isLost: boolean
  readonly problems: readonly string[]
}): ReactNode {
  const [first, ...more] = problems
  return (
    <div className="notices" aria-live="polite">
      {isLost && (
        <p className="strip error">
          <Icon name="warning" />
          <span>The server is away. What you send is kept here, and sent once it is back.</span>
        </p>
      )}
      {first !== undefined &&
        (more.length === 0 ? (
          <p className="strip warning">
            <Icon name="warning" />
            <span>{first}</span>
          </p>
        ) : (
          <details className="strip warning">
            <summary>
              <Icon name="warning" />
              <span>
                {problems.length} problems: {first}
              </span>
            </summary>
            <ul>
              {more.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </details>
        ))}
    </div>
  )
}
