{{/* The name of all objects: the release's name, with the chart's name unless the release has it. */}}
{{- define "pressline.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "pressline.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "pressline.labels" -}}
{{ include "pressline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "pressline.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "pressline.name" .) }}
{{- end -}}

{{- define "pressline.terminationGracePeriodSeconds" -}}
{{ add .Values.shutdown.delaySeconds .Values.shutdown.graceSeconds 10 }}
{{- end -}}

{{- define "pressline.podSecurityContext" -}}
runAsNonRoot: true
# The user node of the image.
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "pressline.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* The environment that does not come from the ConfigMap: the Secret's keys. */}}
{{- define "pressline.secretEnvironment" -}}
{{- $name := required "secret.name must name a Secret with the keys of secret.keys" .Values.secret.name -}}
{{- range .Values.secret.keys }}
- name: {{ . }}
  valueFrom: { secretKeyRef: { name: {{ $name }}, key: {{ . }} } }
{{- end }}
{{- range .Values.secret.optional }}
- name: {{ . }}
  valueFrom: { secretKeyRef: { name: {{ $name }}, key: {{ . }}, optional: true } }
{{- end }}
{{- end -}}

{{/* The variables of the ConfigMap. The migration runs before the ConfigMap exists and has them inline. */}}
{{- define "pressline.variables" -}}
{{- range $name := list "PUBLIC_URL" "TEMPORAL_ADDRESS" "S3_BUCKET" }}
{{- if not (get $.Values.config $name) }}{{ fail (printf "config.%s must be set" $name) }}{{ end }}
{{- end }}
{{- range $name, $value := .Values.config }}
{{- if $value }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
METRICS_HOST: 0.0.0.0
METRICS_PORT: '9464'
SHUTDOWN_DELAY: {{ printf "%ds" (int .Values.shutdown.delaySeconds) }}
SHUTDOWN_GRACE: {{ printf "%ds" (int .Values.shutdown.graceSeconds) }}
{{- if .Values.caBundle.configMapName }}
NODE_EXTRA_CA_CERTS: /etc/pressline/ca/{{ .Values.caBundle.key }}
{{- end }}
{{- end -}}

{{/* Spreads the pods of a component over nodes and zones. Input: the root context and the component. */}}
{{- define "pressline.spread" -}}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "pressline.selector" $.root | nindent 6 }}
      app.kubernetes.io/component: {{ $.component }}
{{- end }}
{{- end -}}

{{/* The name of the Deployment of a build of workers. Input: the root context and the build id. */}}
{{- define "pressline.workerOf" -}}
{{ include "pressline.name" .root }}-worker
{{- with .buildId }}-{{ . | lower | replace "_" "-" | replace "." "-" | trunc 16 | trimSuffix "-" }}{{ end }}
{{- end -}}

{{/* The mount of caBundle, and the variable with which Node reads it. Empty without one. */}}
{{- define "pressline.caMount" -}}
{{- if .Values.caBundle.configMapName -}}
- { name: ca, mountPath: /etc/pressline/ca, readOnly: true }
{{- end -}}
{{- end -}}
{{- define "pressline.caVolume" -}}
{{- with .Values.caBundle.configMapName -}}
- name: ca
  configMap: { name: {{ . }} }
{{- end -}}
{{- end -}}
