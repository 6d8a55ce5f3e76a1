import type { FeedbackOffer } from '@amodal/sdk/client'
import { useId, useState, type ReactNode, type SubmitEvent } from 'react'
import type { Opinion } from '@amodal/sdk/client'
import type { NewOpinion } from '../model/opinions.ts'
import { problemOf } from '../model/server.ts'
import { Icon } from './icons.tsx'

const MOST_CHARS = 4_000

export interface ThumbsProps {
  readonly offer: FeedbackOffer
  readonly opinion: Opinion | undefined
  readonly onRate: (opinion: NewOpinion) => Promise<void>
}

/** Whether an answer was good, and why not. A thumb that is pressed once more is taken back. */
export function Thumbs({ offer, opinion, onRate }: ThumbsProps): ReactNode {
  const [asks, setAsks] = useState(false)
  const [note, setNote] = useState<Note>()
  const [busy, setBusy] = useState(false)
  const rating = opinion?.rating
  const rate = async (next: NewOpinion, thanks: string): Promise<void> => {
    setBusy(true)
    setNote(undefined)
    try {
      await onRate(next)
      setNote({ text: thanks, isProblem: false })
    } catch (cause) {
      setNote({ text: problemOf(cause), isProblem: true })
    }
    setBusy(false)
  }
  const press = (thumb: 'up' | 'down'): void => {
    const isBack = rating === thumb
    const hasMore = offer.categories.length > 0 || offer.comments
    setAsks(thumb === 'down' && !isBack && hasMore)
    void rate({ rating: isBack ? null : thumb }, isBack ? '' : 'Thank you.')
  }
  const send = (more: Pick<NewOpinion, 'categories' | 'comment'>): void => {
    setAsks(false)
    void rate({ rating: 'down', ...more }, 'Thank you.')
  }
  return (
    <>
      <span className="thumbs" role="group" aria-label="Was this answer good?">
        {(['up', 'down'] as const).map((thumb) => (
          <button
            key={thumb}
            type="button"
            className="quiet"
            aria-pressed={rating === thumb}
            aria-label={LABELS[thumb]}
            title={LABELS[thumb]}
            disabled={busy}
            onClick={() => press(thumb)}
          >
            <Icon name={thumb} />
          </button>
        ))}
      </span>
      {asks && rating === 'down' && (
        <Reasons offer={offer} onSend={send} onClose={() => setAsks(false)} />
      )}
      {note && !asks && (
        <span className={note.isProblem ? 'bad' : undefined} role="status">
          {note.text}
        </span>
      )}
    </>
  )
}

interface Note {
  readonly text: string
  readonly isProblem: boolean
}

const LABELS = { up: 'Good answer', down: 'Bad answer' } as const

function Reasons({
  offer: { categories, comments },
  onSend,
  onClose,
}: {
  readonly offer: FeedbackOffer
  readonly onSend: (more: Pick<NewOpinion, 'categories' | 'comment'>) => void
  readonly onClose: () => void
}): ReactNode {
  const title = useId()
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [comment, setComment] = useState('')
  const toggle = (id: string): void =>
    setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const text = comment.trim()
    onSend({ categories: chosen, ...(text !== '' && { comment: text }) })
  }
  return (
    <form className="reasons" aria-labelledby={title} onSubmit={submit}>
      <h4 id={title}>What was wrong with it?</h4>
      {categories.length > 0 && (
        <div className="reason-list">
          {categories.map(({ id, label }) => (
            <button
              key={id}
              type="button"
              aria-pressed={chosen.includes(id)}
              onClick={() => toggle(id)}
            >
              {label}
            </button>
          ))}
        </div>
      )}
      {comments && (
        <textarea
          rows={2}
          maxLength={MOST_CHARS}
          value={comment}
          placeholder="What should it have said?"
          aria-label="Comment"
          onChange={({ target }) => setComment(target.value)}
        />
      )}
      <footer>
        <button type="submit" className="primary">
          Send
        </button>
        <button type="button" onClick={onClose}>
          Skip
        </button>
      </footer>
    </form>
  )
}
