import { navigate, useStore } from '@amodalai/react'
import { Severity } from './parts/severity'

export const page = {
  name: 'alert-detail',
  icon: 'file-text',
  stores: ['alerts', 'zones'],
  context: { alertId: 'string' },
  hidden: true,
}

export default function AlertDetail({ alertId }: { alertId: string }) {
  const { data: alert, loading } = useStore('alerts', alertId)
  const { data: zone } = useStore('zones', alert?.zone)
  if (loading) return null
  if (!alert) return <p className="empty">There is no alert {alertId}.</p>
  return (
    <>
      <h1>{alert.title}</h1>
      <p className="row">
        <Severity value={alert.severity} /> {alert.id}, {alert.status}
      </p>
      <dl>
        <dt>Zone</dt>
        <dd>{zone?.title ?? alert.zone}</dd>
        <dt>Devices online</dt>
        <dd>
          {zone?.devices_online} of {zone?.devices}
        </dd>
        <dt>Raised</dt>
        <dd>{new Date(alert.raised_at).toLocaleString()}</dd>
        <dt>Confidence</dt>
        <dd>{Math.round(alert.confidence * 100)} %</dd>
      </dl>
      <button onClick={() => navigate('ops-dashboard')}>Back to the dashboard</button>
    </>
  )
}
