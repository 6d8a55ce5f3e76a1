import type { StudioView } from '@amodal/plugin-studio/tokens'

/** Runs in the studio, which has the view: it asks the routes that every client asks. */
export const STUDIO_VIEW: StudioView = {
  title: 'Runs',
  icon: 'runs',
  builtIn: 'runs',
  scope: 'agents',
}
