import { useSkillAction, useStoreList } from '@amodalai/react'
import { Severity } from './parts/severity'

export const page = {
  name: 'ops-dashboard',
  description: 'Alerts and zones of the facility',
  icon: 'shield',
  stores: ['alerts', 'zones'],
  automations: ['scan-alerts'],
}

export default function OpsDashboard() {
  const [status, setStatus] = React.useState('open')
  const {
    data: alerts,
    loading,
    error,
  } = useStoreList('alerts', {
    filter: status === 'all' ? {} : { status },
    sort: { field: 'confidence', order: 'desc' },
    limit: 10,
  })
  const { data: zones } = useStoreList('zones', { sort: { field: 'title' } })
  const triage = useSkillAction('triage')
  const count = (severity) => alerts?.filter((alert) => alert.severity === severity).length ?? 0

  return (
    <>
      <header className="row apart">
        <div>
          <h1>Facility</h1>
          <p className="muted">What needs somebody, and how the zones are.</p>
        </div>
        <button
          className="primary"
          disabled={triage.loading}
          onClick={() => triage.invoke({ query: 'Triage the open alerts.' })}
        >
          Triage
        </button>
      </header>

      <section className="stats">
        <div className="stat">
          <strong className={count('P1') > 0 ? 'bad' : undefined}>{count('P1')}</strong>
          <span>P1 alerts</span>
        </div>
        <div className="stat">
          <strong>{alerts?.length ?? 0}</strong>
          <span>{status} alerts</span>
        </div>
        <div className="stat">
          <strong>{zones?.filter((zone) => zone.state === 'ok').length ?? 0}</strong>
          <span>of {zones?.length ?? 0} zones ok</span>
        </div>
        <div className="stat">
          <strong>{zones?.reduce((sum, zone) => sum + zone.devices_online, 0) ?? 0}</strong>
          <span>devices online</span>
        </div>
      </section>

      <section>
        <div className="row apart">
          <h2>Alerts</h2>
          <select
            aria-label="Status"
            value={status}
            onChange={(event) => setStatus(event.target.value)}
          >
            <option>open</option>
            <option>acknowledged</option>
            <option>resolved</option>
            <option>all</option>
          </select>
        </div>
        {error && <p role="alert">{error.message}</p>}
        {!loading && alerts?.length === 0 && <p className="empty">No alerts are {status}.</p>}
        {alerts && alerts.length > 0 && (
          <table>
            <thead>
              <tr>
                <th>Alert</th>
                <th>Title</th>
                <th>Severity</th>
                <th>Zone</th>
                <th align="right">Confidence</th>
              </tr>
            </thead>
            <tbody>
              {alerts.map((alert) => (
                <tr key={alert.id}>
                  <td>
                    <a href={`/pages/alert-detail?alertId=${alert.id}`}>{alert.id}</a>
                  </td>
                  <td>{alert.title}</td>
                  <td>
                    <Severity value={alert.severity} />
                  </td>
                  <td>{alert.zone}</td>
                  <td align="right">{Math.round(alert.confidence * 100)} %</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>

      <section>
        <h2>Zones</h2>
        <div className="grid">
          {zones?.map((zone) => (
            <article key={zone.name} className={`card ${TONES[zone.state]}`}>
              <div className="row apart">
                <h3>{zone.title}</h3>
                <span className={`badge ${TONES[zone.state]}`}>{zone.state}</span>
              </div>
              <p className="muted">
                {zone.devices_online} of {zone.devices} devices online
              </p>
              <progress value={zone.devices_online} max={zone.devices} />
            </article>
          ))}
        </div>
      </section>
    </>
  )
}

const TONES = { ok: 'good', degraded: 'warn', down: 'bad' }
