# The sum of price times quantity.
BEGIN { FS = "," }
NR > 1 { sum += $2 }
END { print sum }
