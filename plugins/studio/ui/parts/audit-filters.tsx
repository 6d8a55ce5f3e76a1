import type { ReactNode } from 'react'
import { AUDIT_EVENTS, searchText, type AuditSearch } from '../model/audit.ts'
import { go } from '../model/route.ts'
import { SYSTEM_STRINGS } from '../views/system-strings.ts'

/** Filters of the audit log, which stand in the address. */
export function AuditFilters({ search }: { readonly search: AuditSearch }): ReactNode {
  const text = SYSTEM_STRINGS.audit.filters
  const change = (changed: Partial<AuditSearch>): void => {
    const query = searchText({ ...search, ...changed })
    if (query !== searchText(search)) go({ view: 'audit', query })
  }
  const events = AUDIT_EVENTS.includes(search.event) || search.event === ''
  return (
    <div className="system-filters" role="search" aria-label={text.label}>
      <select
        aria-label={text.event}
        value={search.event}
        onChange={({ target }) => change({ event: target.value })}
      >
        <option value="">{text.anyEvent}</option>
        {(events ? AUDIT_EVENTS : [search.event, ...AUDIT_EVENTS]).map((event) => (
          <option key={event} value={event}>
            {event.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
      {(['session', 'principal'] as const).map((name) => (
        <input
          // another value of the address begins anew
          key={`${name} ${search[name]}`}
          type="search"
          aria-label={text[name]}
          placeholder={text[name]}
          defaultValue={search[name]}
          onBlur={({ target }) => change({ [name]: target.value.trim() })}
          onKeyDown={(event) => {
            if (event.key === 'Enter') change({ [name]: event.currentTarget.value.trim() })
          }}
        />
      ))}
    </div>
  )
}
