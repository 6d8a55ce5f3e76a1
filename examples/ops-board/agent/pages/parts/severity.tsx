const TONES = { P1: 'bad', P2: 'warn', P3: 'info' }

/** A severity, with its colour. */
export function Severity({ value }) {
  return <span className={`badge ${TONES[value] ?? ''}`}>{value}</span>
}
