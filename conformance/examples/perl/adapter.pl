# A complete Walproof adapter: skeletons/perl/adapter.pl with a reader and a writer of LevelDB logs in it.
#
#   walproof check --cmd 'perl conformance/examples/perl/adapter.pl' --format leveldb-log
#
# By hand: perl adapter.pl read leveldb-log FILE [strict]
use strict;
use warnings;
use JSON::PP ();
use List::Util qw(any min);

my %hello = (
    name     => 'example-perl',
    version  => '1.0.0',
    language => 'Perl',
    formats  => ['leveldb-log'],
    profiles => [qw(recover strict write append)],
    reports  => [qw(records at size verdict reason end lost)],
);

sub read_log {
    my ($format, $path, $profile, $context) = @_;
    return { answer => examine(bytes_of($path), $profile) };
}

# Makes a log, or goes on with the one that is there where its end is.
sub write_log {
    my ($cmd, $format, $path, $records, $context) = @_;
    my $position = 0;
    if ($cmd eq 'append') {
        my $before = examine(bytes_of($path), 'recover');
        return { refused => "start a new file: $before->{reason}" } unless defined $before->{end};
        return { done => JSON::PP::true } unless @$records;    # which changes nothing
        $position = $before->{end};
        truncate $path, $position or die "$path: $!\n";
    }
    open my $log, '>>:raw', $path or die "$path: $!\n";
    for my $record (@$records) {
        my $framed = framed(pack('H*', $record->{payload}), $position);
        print {$log} $framed or die "$path: $!\n";
        $position += length $framed;
    }
    close $log or die "$path: $!\n";
    return { done => JSON::PP::true };
}

sub bytes_of {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!\n";
    local $/;
    return scalar <$file> // '';
}

use constant { BLOCK => 32768, HEADER => 7, FULL => 1, FIRST => 2, MIDDLE => 3, LAST => 4 };

# Reads the bytes of a log as spec/leveldb-log.md says: all that is whole or, with "strict", what is before the first
# damage. In a state, open is a record whose FIRST was read and whose LAST was not.
sub examine {
    my ($log, $profile) = @_;
    my $state = { log => $log, records => [], lost => [], in_step => 1 };
    my %found = (records => $state->{records}, lost => $state->{lost}, end => undef);
    return { verdict => 'refused', reason => 'foreign-dialect', %found } if foreign_dialect($log);
    for (my $base = 0; $base < length $log; $base += BLOCK) {
        block($state, $base);
    }
    tear($state, $state->{open}{at}, $state->{open}{end}, 'torn-record') if $state->{open};
    my ($torn, $damage) = @$state{qw(torn damage)};
    push @{ $state->{lost} }, $torn if $torn;
    $found{end} = $torn ? $torn->{from} : $state->{zeros_from} // length $log;
    if (!$damage) {
        return { verdict => $torn ? 'torn' : 'intact', reason => $torn && $torn->{reason}, %found };
    }
    $found{end} = undef unless $state->{in_step};
    $found{lost} = [sort { $a->{from} <=> $b->{from} } @{ $state->{lost} }];
    if ($profile eq 'strict') {
        my @before = @{ $state->{records} }[0 .. $state->{before} - 1];
        %found = (records => \@before, lost => [$damage], end => undef);
    }
    return { verdict => 'damaged', reason => $damage->{reason}, %found };
}

# The physical records of one block.
sub block {
    my ($state, $base) = @_;
    my $end = min($base + BLOCK, length $state->{log});
    if (defined $state->{zeros_from} && !is_zero(substr $state->{log}, $base, $end - $base)) {
        lose($state, $state->{zeros_from}, $base, 'zero-gap');
        lose_open($state);
        $state->{zeros_from} = undef;
    }
    my $at = $base;
    while ($at < $end && $base + BLOCK - $at >= HEADER) {    # what is left after the loop is the trailer
        my $short = $end - $at < HEADER;
        my ($checksum, $length, $type) = $short ? (0, 0, 0) : unpack 'VvC', substr $state->{log}, $at, HEADER;
        my $after = $at + HEADER + $length;
        if (!$length && !$type && is_zero(substr $state->{log}, $at, $end - $at)) {
            $state->{zeros_from} //= $at;
            return;
        }
        return tear($state, $at, $end, 'torn-header')      if $short;
        return lose_rest($state, $at, $end, 'bad-length')  if $after > $base + BLOCK;
        return tear($state, $at, $end, 'torn-payload')     if $after > $end;
        return lose_rest($state, $at, $end, 'zero-header') if !$length && !$type;
        my $covered = substr $state->{log}, $at + 6, $length + 1;
        return lose_rest($state, $at, $end, 'checksum-mismatch') if masked_crc($covered) != $checksum;
        fragment($state, $type, substr($covered, 1), $at, $after);
        $at = $after;
    }
    return;
}

# A physical record whose checksum holds.
sub fragment {
    my ($state, $type, $data, $at, $end) = @_;
    if ($type == FULL || $type == FIRST) {
        lose_open($state) if $state->{open} && length $state->{open}{data};
        $state->{open} = { at => $at, end => $end, data => $data };
    }
    elsif ($type != MIDDLE && $type != LAST) {
        lose($state, $at, $end, 'unknown-type');
        return lose_open($state);
    }
    elsif (!$state->{open}) {
        return lose($state, $at, $end, 'orphan-fragment');
    }
    else {
        $state->{open}{end} = $end;
        $state->{open}{data} .= $data;
    }
    if ($type == FULL || $type == LAST) {
        my $whole = delete $state->{open};
        my $size  = $end - $whole->{at};
        push @{ $state->{records} }, { at => $whole->{at}, size => $size, payload => unpack 'H*', $whole->{data} };
    }
    return;
}

sub lose {
    my ($state, $from, $to, $reason) = @_;
    if (!$state->{damage}) {
        my $start = $state->{open} ? min($from, $state->{open}{at}) : $from;
        $state->{damage} = { from => $start, to => length $state->{log}, reason => $reason };
        $state->{before} = @{ $state->{records} };
    }
    push @{ $state->{lost} }, { from => $from, to => $to, reason => $reason };
    return;
}

sub lose_open {
    my ($state) = @_;
    return unless $state->{open};
    lose($state, $state->{open}{at}, $state->{open}{end}, 'incomplete-record');
    delete $state->{open};
    return;
}

# A length that cannot be trusted: only the next block gets a reader back in step.
sub lose_rest {
    my ($state, $at, $end, $reason) = @_;
    lose($state, $at, $end, $reason);
    lose_open($state);
    $state->{in_step} = $end % BLOCK == 0;
    return;
}

# The log ends inside a write; that of an open record began at its FIRST.
sub tear {
    my ($state, $at, $end, $reason) = @_;
    my $open = delete $state->{open};
    $state->{torn} = { from => $open ? $open->{at} : $at, to => $end, reason => $reason };
    return;
}

sub is_zero { return $_[0] !~ /[^\0]/ }

# Whether the first physical record is one of RocksDB's or Pebble's own.
sub foreign_dialect {
    my ($log) = @_;
    return 0 if length $log < HEADER;
    my ($checksum, $length, $type) = unpack 'VvC', $log;
    my @sizes;    # that the header has in the dialects of this type
    push @sizes, 11     if any { $type == $_ } 5, 6, 7, 8, 11, 131;
    push @sizes, 19     if $type >= 9 && $type <= 12;
    push @sizes, HEADER if $type == 9 && $length == 4 || $type == 130 && $length == 24;
    push @sizes, HEADER if $type == 10 && $length > 0 && $length % 6 == 0;
    my $room = min(BLOCK, length $log) - $length;
    return any { $_ <= $room && masked_crc(substr $log, 6, $_ + $length - 6) == $checksum } @sizes;
}

# A record as a writer appends it to a log of $position bytes.
sub framed {
    my ($rest, $position) = @_;
    my ($out, $begin) = ('', 1);
    while ($begin || length $rest) {
        my $left = BLOCK - ($position + length $out) % BLOCK;
        if ($left < HEADER) {
            $out .= "\0" x $left;
            $left = BLOCK;
        }
        my $data = substr $rest, 0, $left - HEADER, '';
        my $type = length $rest ? ($begin ? FIRST : MIDDLE) : ($begin ? FULL : LAST);
        my $covered = pack('C', $type) . $data;
        $out .= pack('Vv', masked_crc($covered), length $data) . $covered;
        $begin = 0;
    }
    return $out;
}

my @table;

# CRC-32C, masked (LDB-007).
sub masked_crc {
    my ($bytes) = @_;
    if (!@table) {
        for my $byte (0 .. 255) {
            my $entry = $byte;
            $entry = $entry >> 1 ^ ($entry & 1 ? 0x82F63B78 : 0) for 1 .. 8;
            push @table, $entry;
        }
    }
    my $crc = 0xFFFFFFFF;
    $crc = $crc >> 8 ^ $table[($crc ^ $_) & 0xFF] for unpack 'C*', $bytes;
    $crc ^= 0xFFFFFFFF;
    return (($crc >> 15 | $crc << 17) + 0xA282EAD8) & 0xFFFFFFFF;
}

# ---- The protocol: nothing to fill in from here on. ----

# Carries out a request that names a log.
sub answer {
    my ($request) = @_;
    my ($cmd, $format, $path, $context) = @$request{qw(cmd format path context)};
    return { skipped => 'nothing is at this path' } if $cmd ne 'write' && !-e $path;
    return read_log($format, $path, $request->{profile}, $context) if $cmd eq 'read';
    return write_log($cmd, $format, $path, $request->{records}, $context);
}

my $json = JSON::PP->new->utf8->canonical;
$| = 1;    # the harness waits for each reply

if (@ARGV && $ARGV[0] eq 'read') {
    my %request = (profile => 'recover', context => {});
    @request{ (qw(cmd format path profile))[0 .. $#ARGV] } = @ARGV;
    my $result = answer(\%request);
    print $json->encode($result->{answer} // $result), "\n";
    exit;
}
while (my $line = <STDIN>) {
    my $request = $json->decode($line);
    last if $request->{cmd} eq 'bye';
    utf8::encode($request->{path}) if defined $request->{path};    # a path is bytes
    my $reply = $request->{cmd} eq 'hello' ? \%hello : { %{ answer($request) }, seq => $request->{seq} };
    print $json->encode($reply), "\n";
}
