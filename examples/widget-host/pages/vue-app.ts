import { defineAmodalChat } from '@amodal/widget'
import { createApp, h, ref } from 'vue'

defineAmodalChat()

const url = new URL(import.meta.url).searchParams.get('agent') ?? ''

/** The widget in Vue: attributes and listeners as of any element. */
createApp({
  setup() {
    const session = ref('')
    return () => [
      h('h1', 'A Vue app'),
      h('p', { 'data-testid': 'session' }, session.value),
      h('div', { class: 'chat' }, [
        h('amodal-chat', {
          url,
          'token-url': '/agent-token',
          position: 'inline',
          heading: 'Help',
          'onAmodal-session': (event: CustomEvent<string>) => (session.value = event.detail),
        }),
      ]),
    ]
  },
}).mount('#app')
