import { ARGUMENTS, DATA, ENV_FILE, list, PORT, type Deployment } from './deployment.ts'

/**
 * One machine: PostgreSQL, a migration, a server and a worker. Secrets come from a file beside it.
 *
 * @see https://github.com/compose-spec/compose-spec/blob/main/spec.md
 */
export const composeFile = ({ name, image, graceSeconds }: Deployment): string => `\
# ${name} on one machine. Variables, POSTGRES_PASSWORD among them, are in ${ENV_FILE}:
#   docker compose --env-file ${ENV_FILE} up --build --detach
name: ${name}

x-agent: &agent
  image: ${image}
  build: .
  env_file: [${ENV_FILE}]
  environment:
    DATABASE_URL: postgres://amodal:\${POSTGRES_PASSWORD:?set it in ${ENV_FILE}}@database:5432/amodal
  init: true
  stop_grace_period: ${graceSeconds}s
  # it can do nothing but run, and write to two places
  read_only: true
  tmpfs: [/tmp]
  cap_drop: [ALL]
  security_opt: ["no-new-privileges:true"]
  volumes: ["data:${DATA}"]

services:
  database:
    image: postgres:17-alpine
    environment:
      POSTGRES_USER: amodal
      POSTGRES_DB: amodal
      POSTGRES_PASSWORD: \${POSTGRES_PASSWORD:?set it in ${ENV_FILE}}
    restart: unless-stopped
    read_only: true
    tmpfs: [/tmp, /var/run/postgresql]
    cap_drop: [ALL]
    # it starts as root, and leaves that user once its folder belongs to it
    cap_add: [CHOWN, DAC_OVERRIDE, FOWNER, SETGID, SETUID]
    security_opt: ["no-new-privileges:true"]
    volumes: ["database:/var/lib/postgresql/data"]
    healthcheck:
      test: ["CMD", "pg_isready", "--username=amodal", "--dbname=amodal"]
      interval: 5s
      timeout: 5s
      retries: 12

  migrate:
    <<: *agent
    command: ${list(ARGUMENTS.migrate)}
    restart: "no"
    healthcheck: { disable: true }
    depends_on:
      database: { condition: service_healthy }

  web:
    <<: *agent
    command: ${list(ARGUMENTS.web)}
    restart: unless-stopped
    ports: ["127.0.0.1:${PORT}:${PORT}"]
    depends_on: &ready
      database: { condition: service_healthy }
      migrate: { condition: service_completed_successfully }

  worker:
    <<: *agent
    command: ${list(ARGUMENTS.worker)}
    restart: unless-stopped
    healthcheck: { disable: true }
    depends_on: *ready

volumes:
  database:
  data:
`
