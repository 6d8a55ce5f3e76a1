import { AGENT, ARGUMENTS, DATA, list, PORT, type Deployment } from './deployment.ts'

/** Exits with 0 where the server says that it is ready. */
const HEALTH = `fetch('http://127.0.0.1:' + process.env.PORT + '/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))`

/**
 * Three stages: the packages of Amodal, the agent with its own packages, and what runs. The last
 * one runs as a user of no rights, and writes to `.amodal` alone.
 *
 * @see https://docs.docker.com/reference/dockerfile/
 */
export const dockerfile = ({ name, graceSeconds }: Deployment): string => `\
# ${name}: build it in the folder of the agent, with the tarballs of Amodal in packages/.
# It stops within ${graceSeconds} s of SIGTERM: docker run --stop-timeout ${graceSeconds}.
FROM node:24-slim AS packages
WORKDIR /app
COPY packages ./packages
RUN npm init --yes \\
  && npm install --omit=dev --no-audit --no-fund ./packages/*.tgz \\
  && npm sbom --omit=dev --sbom-format=cyclonedx > sbom.cdx.json

FROM node:24-slim AS agent
WORKDIR ${AGENT}
COPY . .
RUN rm -rf packages \\
  && mkdir -p .amodal \\
  && if [ -f package-lock.json ]; then npm ci --omit=dev --ignore-scripts --no-audit --no-fund; fi

FROM node:24-slim
LABEL org.opencontainers.image.title="${name}" \\
  org.opencontainers.image.description="An agent that Amodal serves; its packages are in /app/sbom.cdx.json"
ENV NODE_ENV=production PORT=${PORT}
WORKDIR /app
COPY --from=packages /app/sbom.cdx.json ./
COPY --from=packages /app/node_modules ./node_modules
COPY --from=agent ${AGENT} ./agent
# a server needs no package manager
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/np* /usr/local/bin/corepack /opt/yarn-* \\
  && chown node:node agent/.amodal
USER node
VOLUME ["${DATA}"]
EXPOSE ${PORT}
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \\
  CMD ["node", "-e", "${HEALTH}"]
ENTRYPOINT ["node_modules/.bin/amodal"]
CMD ${list(ARGUMENTS.web)}
`

/** What must not be in an image, and what would only make it larger. */
export const dockerignore = `\
.git
.env
.env.*
.amodal
node_modules
Dockerfile
.dockerignore
compose.yaml
kubernetes.yaml
*.backup
`
