import { Component, type ReactNode } from 'react'
import { USAGE_STRINGS } from '../../strings-usage.ts'

/** Where the charts cannot be drawn, the table below them still says everything. */
export class ChartBoundary extends Component<
  { readonly children: ReactNode },
  { readonly isBroken: boolean }
> {
  override state = { isBroken: false }

  static getDerivedStateFromError(): { readonly isBroken: boolean } {
    return { isBroken: true }
  }

  override render(): ReactNode {
    return this.state.isBroken ? (
      <p className="note error" role="alert">
        {USAGE_STRINGS.noCharts}
      </p>
    ) : (
      this.props.children
    )
  }
}
