import { MASK } from '../changes/secrets'
import { masked } from './shown'

/** What of a systemd unit may be shown, and what of it is masked: the name of each directive with its whole value. */
export interface ShownUnit {
  text: string
  hidden: Map<string, string>
}

/** Directives whose values say when and how a unit runs, and nothing of what it is given. */
const SETTINGS = new RegExp(
  `^(?:${`
  Description Documentation After Before Requires Requisite Wants BindsTo PartOf Upholds Conflicts OnFailure OnSuccess
  DefaultDependencies (?:Condition|Assert)(?!Environment)\\w+ RefuseManualSt\\w+ StopWhenUnneeded AllowIsolate JobTimeout\\w* RequiresMountsFor
  StartLimit\\w+ WantedBy RequiredBy Also Alias DefaultInstance Type RemainAfterExit Restart Restart\\w+ Timeout\\w+ Watchdog\\w+
  User Group SupplementaryGroups DynamicUser KillMode KillSignal SendSIGKILL FinalKillSignal Limit\\w+ Slice Delegate CPU\\w+
  Memory\\w+ Tasks\\w+ IO\\w+ AllowedCPUs Nice OOM\\w+ PIDFile WorkingDirectory RootDirectory UMask GuessMainPID NotifyAccess
  Private\\w+ Protect\\w+ ReadOnlyPaths ReadWritePaths InaccessiblePaths RuntimeDirectory\\w* StateDirectory\\w* LogsDirectory\\w*
  CacheDirectory\\w* ConfigurationDirectory\\w* NoNewPrivileges CapabilityBoundingSet AmbientCapabilities StandardOutput StandardError
  SyslogIdentifier LogLevelMax LogRateLimit\\w+ TTYPath OnCalendar OnBootSec OnStartupSec OnUnit\\w+ OnActiveSec AccuracySec
  RandomizedDelaySec Persistent WakeSystem Unit Path\\w+ DirectoryNotEmpty MakeDirectory DirectoryMode Where Listen\\w+ Accept Socket\\w+
  Service BindIPv6Only Backlog`
    .trim()
    .split(/\s+/)
    .join('|')})$`,
)
/** Lines that the reader of a unit puts around its parts. */
const OURS = /^# (?:(?:enabled|mask): (?:true|false)|[\w@.\\-]+\.conf)$/

/** A unit line by line: sections, settings, and the programs that it runs without their arguments. */
export function shownUnit(text: string): ShownUnit {
  const hidden = new Map<string, string>()
  const hide = (name: string, value: string) => hidden.set(name, `${hidden.get(name) ?? ''}\n${value}`)
  // A line that ends in a backslash goes on in the next.
  const lines = text.replace(/\\\n/g, ' ').split('\n')
  const shown = lines.map((line) => {
    const plain = line.trim()
    if (plain === '' || OURS.test(plain) || /^\[[\w-]{1,40}\]$/.test(plain)) return plain
    if (/^[#;]/.test(plain)) {
      hide('comments', plain)
      return `# ${MASK}`
    }
    const [, name, value] = /^([A-Za-z0-9-]{1,60})\s*=\s*(.*)$/.exec(plain) ?? []
    if (name === undefined || value === undefined) {
      hide('other lines', plain)
      return MASK
    }
    if (value === '') return `${name}=`
    // "data:" is where a unit's input can stand in the unit.
    if (SETTINGS.test(name) && !/^(?:data|fd):/.test(value)) return masked(`${name}=${value}`)
    const [, program, given] = /^Exec/.test(name) ? (/^([-@:+!|]*\/[\w./-]+)(?:\s+(.*))?$/.exec(value) ?? []) : []
    if (program !== undefined && !given) return `${name}=${program}`
    hide(name, given ?? value)
    return `${name}=${program === undefined ? '' : `${program} `}${MASK}`
  })
  return { text: shown.join('\n'), hidden }
}

/** Directives whose masked values are not the same on both sides, sorted. */
export function hiddenDifference(a: ShownUnit, b: ShownUnit): string[] {
  const names = [...new Set([...a.hidden.keys(), ...b.hidden.keys()])].sort()
  return names.filter((name) => a.hidden.get(name) !== b.hidden.get(name))
}
