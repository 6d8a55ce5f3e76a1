import { useState, type ReactNode } from 'react'
import { problemOf, type Server } from '../../model/server.ts'
import { USAGE_STRINGS } from '../../strings-usage.ts'
import { downloadUsage, type Format } from './download.ts'
import {
  groupTitle,
  GROUPS,
  RANGES,
  requestOf,
  type Group,
  type UsageSettings,
} from './usage-settings.ts'

interface ControlsProps {
  readonly settings: UsageSettings
  readonly onChange: (settings: UsageSettings) => void
}

/** The time, the groups and the filters. */
export function Controls({ settings, onChange }: ControlsProps): ReactNode {
  const text = USAGE_STRINGS
  return (
    <div className="usage-controls">
      <RangePicker {...{ settings, onChange }} />
      <label className="inline">
        <span>{text.groupBy}</span>
        <select
          value={settings.group}
          onChange={({ target }) =>
            onChange({
              ...settings,
              group: GROUPS.find((one) => one === target.value) ?? settings.group,
            })
          }
        >
          {GROUPS.map((one) => (
            <option key={one} value={one}>
              {groupTitle(one)}
            </option>
          ))}
        </select>
      </label>
      <Filters {...{ settings, onChange }} />
    </div>
  )
}

function RangePicker({ settings, onChange }: ControlsProps): ReactNode {
  const text = USAGE_STRINGS
  const { range, from, to } = settings
  const setDay = (change: Partial<UsageSettings>): void => {
    const next = { ...settings, ...change }
    if (next.from !== '' && next.to !== '' && next.from <= next.to) onChange(next)
  }
  return (
    <>
      <div className="segments" role="group" aria-label={text.range}>
        {([...RANGES, 'own'] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={range === one}
            onClick={() => onChange({ ...settings, range: one })}
          >
            {text.ranges[one]}
          </button>
        ))}
      </div>
      {range === 'own' && (
        <div className="own-range">
          <input
            type="date"
            aria-label={text.from}
            value={from}
            max={to}
            onChange={({ target }) => setDay({ from: target.value })}
          />
          <span className="muted">–</span>
          <input
            type="date"
            aria-label={text.to}
            value={to}
            min={from}
            onChange={({ target }) => setDay({ to: target.value })}
          />
        </div>
      )}
    </>
  )
}

function Filters({ settings, onChange }: ControlsProps): ReactNode {
  const remove = (name: Group): void =>
    onChange({ ...settings, filters: settings.filters.filter(([one]) => one !== name) })
  return settings.filters.map(([name, value]) => (
    <button
      key={name}
      type="button"
      className="chip"
      aria-label={`${USAGE_STRINGS.removeFilter}: ${groupTitle(name)} ${value}`}
      onClick={() => remove(name)}
    >
      <span className="muted">{groupTitle(name)}</span>
      <span className="chip-value">{value}</span>
      <span aria-hidden="true">×</span>
    </button>
  ))
}

/** Buttons that save the runs of the time as a file. */
export function Exports({
  server,
  settings,
}: {
  readonly server: Server
  readonly settings: UsageSettings
}): ReactNode {
  const text = USAGE_STRINGS
  const [problem, setProblem] = useState<string>()
  const save = (format: Format): void => {
    setProblem(undefined)
    downloadUsage(server, requestOf(settings, Date.now()), format).catch((cause: unknown) =>
      setProblem(problemOf(cause)),
    )
  }
  return (
    <div className="exports" role="group" aria-label={text.export}>
      <button type="button" className="quiet" onClick={() => save('csv')}>
        {text.formats.csv}
      </button>
      <button type="button" className="quiet" onClick={() => save('jsonl')}>
        {text.formats.jsonl}
      </button>
      {problem !== undefined && (
        <span className="note error" role="alert">
          {problem}
        </span>
      )}
    </div>
  )
}
