import type { SessionStanding } from '@amodal/sdk/client'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import type { SessionSearch } from '../model/session-search.ts'
import { STRINGS } from '../strings.ts'
import { Icon } from './icons.tsx'
import { Popover } from './popover.tsx'

export interface SessionFiltersProps {
  readonly search: SessionSearch
  readonly models: readonly string[]
  /** @param isTyped it replaces the address, so that going back undoes no single letter */
  readonly onSearch: (search: SessionSearch, isTyped: boolean) => void
}

const STANDINGS: readonly SessionStanding[] = ['waiting', 'running', 'failed', 'set_aside', 'done']
/** ms after the last letter. */
const TYPED_MS = 250

/** A search field, where sessions stand, and what else they are found by. */
export function SessionFilters({ search, models, onSearch }: SessionFiltersProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const { filters } = STRINGS.sessions
  const more = [search.model, search.from, search.to].filter((value) => value !== '').length
  return (
    <div className="session-filters">
      <SearchField value={search.q} onChange={(q) => onSearch({ ...search, q }, true)} />
      <div className="chips toggles" role="group" aria-label={filters.status}>
        {[undefined, ...STANDINGS].map((status) => (
          <button
            key={status ?? 'all'}
            type="button"
            aria-pressed={search.status === status}
            onClick={() => onSearch({ ...search, status }, false)}
          >
            {status === undefined ? filters.all : filters.standings[status]}
          </button>
        ))}
      </div>
      <span className="space" />
      <Popover label={filters.more} icon="filter" badge={more} isOpen={isOpen} onToggle={setOpen}>
        <MoreFilters {...{ search, models, onSearch }} />
      </Popover>
    </div>
  )
}

function SearchField({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
}): ReactNode {
  const { filters } = STRINGS.sessions
  const [typed, setTyped] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // the address may be another one, by going back or a link
  useEffect(() => setTyped(value), [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const change = (text: string, after: number): void => {
    setTyped(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onChange(text.trim()), after)
  }
  return (
    <label className="search-field">
      <span className="sr">{filters.search}</span>
      <Icon name="search" />
      <input
        type="search"
        placeholder={filters.search}
        value={typed}
        onChange={({ target }) => change(target.value, TYPED_MS)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') change(typed, 0)
        }}
      />
    </label>
  )
}

function MoreFilters({ search, models, onSearch }: SessionFiltersProps): ReactNode {
  const { filters } = STRINGS.sessions
  const listed = search.model === '' || models.includes(search.model)
  return (
    <>
      <label>
        {filters.model}
        <select
          value={search.model}
          onChange={({ target }) => onSearch({ ...search, model: target.value }, false)}
        >
          <option value="">{filters.anyModel}</option>
          {(listed ? models : [search.model, ...models]).map((model) => (
            <option key={model} value={model}>
              {model}
            </option>
          ))}
        </select>
      </label>
      {(['from', 'to'] as const).map((name) => (
        <label key={name}>
          {filters[name]}
          <input
            type="date"
            value={search[name]}
            onChange={({ target }) => onSearch({ ...search, [name]: target.value }, false)}
          />
        </label>
      ))}
      {(search.model !== '' || search.from !== '' || search.to !== '') && (
        <button
          type="button"
          className="link"
          onClick={() => onSearch({ ...search, model: '', from: '', to: '' }, false)}
        >
          {filters.reset}
        </button>
      )}
    </>
  )
}
