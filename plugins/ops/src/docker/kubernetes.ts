import { ARGUMENTS, DATA, list, PORT, USER, type Deployment } from './deployment.ts'

type Process = keyof typeof ARGUMENTS

const indented = (text: string, columns: number): string =>
  text.replaceAll(/^(?=.)/gm, ' '.repeat(columns))

const metadata = (name: string, process: Process | undefined, suffix = ''): string => `\
metadata:
  name: ${name}${suffix}
  labels:
    app.kubernetes.io/name: ${name}
    app.kubernetes.io/part-of: amodal${process === undefined ? '' : `\n    app.kubernetes.io/component: ${process}`}`

const selector = (name: string, process: Process): string => `\
app.kubernetes.io/name: ${name}
app.kubernetes.io/component: ${process}`

/** A server is ready, and alive, where `/health` says so. */
const PROBES = `\
startupProbe:
  httpGet: { path: /health, port: http }
  periodSeconds: 2
  failureThreshold: 60
readinessProbe:
  httpGet: { path: /health, port: http }
  periodSeconds: 5
  timeoutSeconds: 5
livenessProbe:
  httpGet: { path: /health, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
`

/** A pod of one process of the agent, without any right that it does not need. */
const podTemplate = ({ name, image, graceSeconds }: Deployment, process: Process): string => `\
template:
  metadata:
    labels:
${indented(selector(name, process), 6)}
  spec:
    automountServiceAccountToken: false
    terminationGracePeriodSeconds: ${graceSeconds}${process === 'migrate' ? '\n    restartPolicy: OnFailure' : ''}
    securityContext:
      runAsNonRoot: true
      runAsUser: ${USER}
      runAsGroup: ${USER}
      fsGroup: ${USER}
      seccompProfile: { type: RuntimeDefault }
    containers:
      - name: ${process}
        image: ${image}
        args: ${list(ARGUMENTS[process])}
        envFrom:
          - secretRef: { name: ${name} }
${process === 'web' ? `        ports:\n          - { name: http, containerPort: ${PORT} }\n${indented(PROBES, 8)}` : ''}\
        resources:
          requests: { cpu: 250m, memory: 512Mi }
          limits: { memory: 1Gi }
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities: { drop: [ALL] }
        volumeMounts:
          - { name: data, mountPath: ${DATA} }
          - { name: tmp, mountPath: /tmp }
    volumes:
      - name: data
        persistentVolumeClaim: { claimName: ${name}-data }
      - name: tmp
        emptyDir: {}`

const deployment = (of: Deployment, process: 'web' | 'worker'): string => `\
apiVersion: apps/v1
kind: Deployment
${metadata(of.name, process, `-${process}`)}
spec:
  replicas: 2
  strategy:
    rollingUpdate: { maxUnavailable: 0 }
  selector:
    matchLabels:
${indented(selector(of.name, process), 6)}
${indented(podTemplate(of, process), 2)}`

/** At least one of two pods stays when nodes are drained. */
const budget = ({ name }: Deployment, process: 'web' | 'worker'): string => `\
apiVersion: policy/v1
kind: PodDisruptionBudget
${metadata(name, process, `-${process}`)}
spec:
  minAvailable: 1
  selector:
    matchLabels:
${indented(selector(name, process), 6)}`

const policy = ({ name }: Deployment): string => `\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
${metadata(name, undefined)}
spec:
  podSelector:
    matchLabels:
      app.kubernetes.io/name: ${name}
  policyTypes: [Ingress]
  ingress:
    - ports:
        - { port: http }`

/**
 * Servers and workers that scale apart, and a job that migrates. PostgreSQL and the secrets are
 * there already.
 *
 * @param isPolicyWanted whether other pods reach the port of servers alone
 * @see https://kubernetes.io/docs/reference/kubernetes-api/
 */
export const kubernetesFile = (of: Deployment, isPolicyWanted: boolean): string =>
  [
    `\
# ${of.name}. Its variables, DATABASE_URL among them, are a secret that is made once:
#   kubectl create secret generic ${of.name} --from-env-file=.env.production
# Old servers go on with a newer schema, so the job may run before or beside them. A job cannot be
# changed: for another image, kubectl delete job ${of.name}-migrate --ignore-not-found, and apply.
apiVersion: v1
kind: PersistentVolumeClaim
${metadata(of.name, undefined, '-data')}
spec:
  # all pods write the checkpoints of the audit log here
  accessModes: [ReadWriteMany]
  resources:
    requests: { storage: 1Gi }`,
    `\
apiVersion: batch/v1
kind: Job
${metadata(of.name, 'migrate', '-migrate')}
spec:
  backoffLimit: 3
  ttlSecondsAfterFinished: 3600
${indented(podTemplate(of, 'migrate'), 2)}`,
    deployment(of, 'web'),
    deployment(of, 'worker'),
    `\
apiVersion: v1
kind: Service
${metadata(of.name, 'web')}
spec:
  selector:
${indented(selector(of.name, 'web'), 4)}
  ports:
    - { name: http, port: 80, targetPort: http }`,
    budget(of, 'web'),
    budget(of, 'worker'),
    ...(isPolicyWanted ? [policy(of)] : []),
  ].join('\n---\n') + '\n'
