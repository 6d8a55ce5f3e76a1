// What other plugins may see of this one.
import { registry } from '@amodal/sdk'

export * from './file-diff.ts'
export * from './record-list.ts'
export { widgetViewDoc } from './view-doc.ts'

interface OfferedView {
  readonly title: string
  /** An icon of the studio by its name, such as `clock`; default: that of plugins. */
  readonly icon?: string
  /** The scope that its data needs: whoever lacks it is not offered the view. */
  readonly scope?: string
}

/** Widgets that a route of the plugin answers with. */
export interface WidgetView extends OfferedView {
  /**
   * Path of a route that answers `GET` with `{ widgets: [{ widget_type, data }] }`: the kinds that
   * agents show (`info-card`, `data-table`, `metric`, `entity-card`, `timeline`), and what
   * `recordList` and `fileDiff` return. A principal without access sees an error in the view.
   */
  readonly route: string
  /** Types of events of the server after which it is asked again. */
  readonly refreshOn?: readonly string[]
}

/**
 * A view whose code comes with the studio, since no code of a plugin runs in the page: it is there
 * where the plugin that has its data adds it.
 */
export interface BuiltInView extends OfferedView {
  readonly builtIn: 'runs'
}

/** A view of another plugin, next to those of the studio. */
export type StudioView = WidgetView | BuiltInView

/** Views that plugins add to the studio, by a name for the address of each. */
export const StudioViews = registry<StudioView>('studio-views')
