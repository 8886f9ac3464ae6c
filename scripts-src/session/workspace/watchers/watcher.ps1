# Announces the messages in an inbox, with the arguments and the lines of ConsultaSkill's watcher:
#   watcher.ps1 -InboxDir <dir> -ReadyFile <file> [-PollSeconds 3] [-HeartbeatSeconds 30]
# Prints WATCHER:STARTED:<agent>:<pid>, then NEW:<file> for each message, unread mail first.
param(
  [Parameter(Mandatory = $true)][string]$InboxDir,
  [Parameter(Mandatory = $true)][string]$ReadyFile,
  [int]$PollSeconds = 3,
  [int]$HeartbeatSeconds = 30
)
$ErrorActionPreference = 'Stop'

foreach ($folder in @($InboxDir, (Split-Path $ReadyFile -Parent))) {
  if ($folder -and -not (Test-Path -LiteralPath $folder)) {
    New-Item -ItemType Directory -Path $folder -Force | Out-Null
  }
}
$agent = (Split-Path ($InboxDir.TrimEnd('/', '\')) -Leaf) -replace '^inbox-', ''
$started = (Get-Date).ToUniversalTime().ToString('yyyy-MM-ddTHH:mm:ssZ')

function Write-Presence {
  $entry = [ordered]@{
    agent = $agent; pid = $PID; started_at = $started
    session_mode = 'active'; listening_inbox = "inbox-$agent"
  }
  # Windows PowerShell would put a byte order mark in front.
  $text = ($entry | ConvertTo-Json -Compress) + "`n"
  $path = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($ReadyFile)
  [IO.File]::WriteAllText($path, $text, (New-Object Text.UTF8Encoding $false))
}

# Not another watcher's, which may have come in between.
function Test-Own {
  (Test-Path -LiteralPath $ReadyFile) -and
    (Get-Content -LiteralPath $ReadyFile -Raw -ErrorAction SilentlyContinue) -match """pid"":$PID,"
}

# A file that its sender is still writing is no JSON yet; an old one is told anyway.
function Wait-Whole([string]$path) {
  for ($try = 0; $try -lt 5; $try++) {
    try {
      Get-Content -LiteralPath $path -Raw | ConvertFrom-Json | Out-Null
      return
    } catch { Start-Sleep -Milliseconds 300 }
  }
}

Write-Presence
Write-Output "WATCHER:STARTED:${agent}:${PID}"
$beat = Get-Date
$known = @{}
try {
  while ($true) {
    $now = Get-Date
    if (($now - $beat).TotalSeconds -ge $HeartbeatSeconds) {
      if (Test-Own) { (Get-Item -LiteralPath $ReadyFile).LastWriteTime = $now } else { Write-Presence }
      $beat = $now
    }
    # What has gone is forgotten: a second file of the same name is news again.
    $seen = @{}
    foreach ($file in @(Get-ChildItem -LiteralPath $InboxDir -Filter '*.json' -File | Sort-Object Name)) {
      if (-not $known.ContainsKey($file.Name)) {
        Wait-Whole $file.FullName
        Write-Output "NEW:$($file.Name)"
      }
      $seen[$file.Name] = $true
    }
    $known = $seen
    Start-Sleep -Seconds $PollSeconds
  }
} finally {
  if (Test-Own) { Remove-Item -LiteralPath $ReadyFile -Force }
}
