import { MASK, withoutSecrets } from '../changes/secrets'
import { withoutKeys } from '../changes/secret-text'

/*
 * What of a config anybody may read who sees the fleet. Credentials have no form that all of them share, so what is not known to hold
 * none is not shown: of it is said that it differs, and how long it is.
 */

/** Files that hold settings and nothing else; `unless` it says otherwise. */
const SETTINGS: readonly [path: RegExp, unless?: RegExp][] = [
  [/^\/etc\/kubernetes\/kubelet\.conf$/],
  [/^\/etc\/containers\/(?:registries|storage)\.conf$/],
  [/^\/etc\/containers\/registries\.conf\.d\/[\w.-]+\.conf$/],
  [/^\/etc\/containers\/registries\.d\/[\w.-]+\.yaml$/],
  [/^\/etc\/containers\/policy\.json$/],
  // Environments of containers and hooks can be given there.
  [/^\/etc\/crio\/crio\.conf$/, /env|proxy/i],
  [/^\/etc\/crio\/crio\.conf\.d\/[\w.-]+$/, /env|proxy/i],
  [/^\/etc\/sysctl\.conf$/],
  [/^\/etc\/sysctl\.d\/[\w.-]+\.conf$/],
  [/^\/etc\/modules-load\.d\/[\w.-]+\.conf$/],
  [/^\/etc\/modprobe\.d\/[\w.-]+\.conf$/],
  [/^\/etc\/security\/limits\.d\/[\w.-]+\.conf$/],
  [/^\/etc\/systemd\/(?:journald|resolved|logind|coredump)\.conf$/],
  [/^\/etc\/systemd\/(?:journald|resolved|logind|coredump)\.conf\.d\/[\w.-]+\.conf$/],
  [/^\/etc\/chrony\.conf$/],
  [/^\/etc\/chrony\.d\/[\w.-]+\.conf$/],
  [/^\/etc\/(?:hosts|resolv\.conf|hostname|localtime|locale\.conf|vconsole\.conf)$/],
  // What a port or a tunnel signs in with stands there, too.
  [
    /^\/etc\/nmstate\/(?:openshift\/)?[\w.-]+\.ya?ml$/,
    /pass|secret|psk|\bcak\b|-cak|802|macsec|ipsec|libreswan|wireguard|private|token|auth|user/i,
  ],
  [/^\/etc\/NetworkManager\/conf\.d\/[\w.-]+\.conf$/, /pass|secret|psk|cak|wep|802|wireguard|private|pin\b|proxy/i],
]

/** Files that are credentials as a whole. Not even their length is said. */
const CREDENTIALS = [
  /^\/var\/lib\/kubelet\/config\.json$/,
  /pull-secret/,
  /kubeconfig$/,
  /\.(?:key|p12|pfx|jks|keytab|psk)$/,
  /\/\.ssh\//,
  /^\/etc\/g?shadow-?$/,
]

/** One that not everybody on the node may read holds what not everybody may know. */
const closed = (mode: number | null): boolean => mode !== null && (mode & 0o004) === 0

export const isCredential = (path: string, mode: number | null): boolean =>
  closed(mode) || CREDENTIALS.some((pattern) => pattern.test(path))

/** Whether the content of a file may be shown; still `masked`. */
export const isShown = (path: string, text: string): boolean =>
  SETTINGS.some(([pattern, unless]) => pattern.test(path) && !unless?.test(text))

/** The last of the nets: what looks like a credential, in what is shown. */
export const masked = (text: string): string => withoutSecrets(withoutKeys(text))

/** Arguments of the kernel, and of what reads them at boot, whose values are settings. */
const ARGUMENTS = new RegExp(
  `^(?:${`
  acpi\\w* amd_iommu amd_pstate audit audit_backlog_limit biosdevname cgroup_disable cgroup_no_v1 clocksource console cpufreq\\.\\w+
  cpuidle\\.\\w+ crashkernel default_hugepagesz efi enforcing fips hpet hugepages hugepagesz idle init_on_alloc init_on_free
  intel_idle\\.max_cstate intel_iommu intel_pstate iommu(?:\\.\\w+)? ipv6\\.disable irqaffinity isolcpus kthread_cpus kvm[\\w-]*\\.\\w+
  l1tf loglevel maxcpus mce mds mem memmap mitigations modprobe\\.blacklist module_blacklist net\\.ifnames nmi_watchdog nohz nohz_full
  nosmt numa numa_balancing page_poison panic pci pcie_aspm pcie_ports preempt processor\\.max_cstate psi pti random\\.trust_cpu
  rcu_nocb_poll rcu_nocbs rcupdate\\.\\w+ rcutree\\.\\w+ rd\\.multipath rd\\.neednet retbleed selinux skew_tick slab_nomerge slub_debug
  softlockup_panic spec_store_bypass_disable spectre_v2 swapaccount systemd\\.cpu_affinity systemd\\.legacy_systemd_cgroup_controller
  systemd\\.unified_cgroup_hierarchy systemd\\.unit transparent_hugepage tsc tsx tsx_async_abort usbcore\\.\\w+ vfio-pci\\.ids vsyscall
  workqueue\\.\\w+ zswap\\.\\w+`
    .trim()
    .split(/\s+/)
    .join('|')})$`,
)
/** "quiet", "nosmt": short, and of no form that a password has. */
const FLAG = /^[a-z][a-z_.-]{0,30}$/

/** A kernel argument with its value only where that is known to be a setting. */
export function shownArgument(argument: string): string {
  const at = argument.indexOf('=')
  if (at < 0) return FLAG.test(argument) || ARGUMENTS.test(argument) ? argument : MASK
  const name = argument.slice(0, at)
  if (ARGUMENTS.test(name)) return masked(argument)
  return `${/^[\w.-]{1,60}$/.test(name) ? name : MASK}=${MASK}`
}
